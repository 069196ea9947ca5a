#include "web/answers/sites_answer.h"

#include <algorithm>

#include "core/signal/one_value.h"

namespace ebb::web {
namespace {

using report::If;
using report::IfAny;
using std::chrono::hours;

constexpr Duration kAhead = hours{24};

void PutGrid(const core::SignalView& signal, Time now, SiteNow& site) {
  site.source = signal.known.identity().source;
  if (const core::Sample* sample = signal.At(now)) {
    site.now = sample->intensity;
    site.status = Name(sample->status);
  }
  if (const auto mean = signal.Mean({now, now + kAhead})) site.next_day = mean->intensity;
  if (!core::KnowsHours(signal)) return;
  site.cleanest_hour = plan::CleanestWindow(signal, {now, now + kAhead - hours{1}}, hours{1});
}

void PutDevices(const service::View& view, std::vector<SiteNow>& sites) {
  for (const core::DevicePool& pool : view.cluster.pools) {
    SiteNow& site = sites[static_cast<std::size_t>(pool.site)];
    site.devices += pool.count;
    site.free += pool.count;
    site.away += pool.away;
  }
}

void PutJobs(const service::View& view, std::vector<SiteNow>& sites) {
  for (const local::SupervisedFigures& program : view.running) {
    if (program.pool < 0 || program.pool >= std::ssize(view.cluster.pools)) continue;
    const core::DevicePool& pool = view.cluster.pools[static_cast<std::size_t>(program.pool)];
    SiteNow& site = sites[static_cast<std::size_t>(pool.site)];
    const service::JobCard* card = view.jobs.Find(program.job);
    const core::Job none, &job = card ? card->submission->job : none;
    site.jobs.push_back({program.job, job.name});
    const auto slots = static_cast<int>(program.slots.size());
    site.free = std::max(0, site.free - (slots > 0 ? slots : job.devices));
  }
  for (SiteNow& site : sites) std::ranges::sort(site.jobs, {}, &JobThere::id);
}

}  // namespace

void JobThere::Describe(report::DescribedJson& json) const {
  json.Is("JobThere", "A job that runs at a site.");
  json("id", "its number", id);
  json("name", "its name", name);
}

void SiteNow::Describe(report::DescribedJson& json) const {
  const plan::Window hour = cleanest_hour.value_or(plan::Window{});
  json.Is("SiteNow", "A site of the service now. What is unknown is left out.");
  json("site", "its name", site.name);
  json("zone", "of its grid", site.zone);
  json("pue", "facility energy per unit of IT energy", site.pue.ratio);
  json("source", "of its intensity", IfAny(source));
  json("g_per_kwh", "now", now);
  json("status", "of this value: measured, estimated, forecast or modelled", IfAny(status));
  json("next_24_hours_g_per_kwh", "mean of what is expected", next_day);
  json("cleanest_hour", "begin of the cleanest hour of these",
       If(cleanest_hour.has_value(), hour.start));
  json("cleanest_hour_g_per_kwh", "its mean", If(cleanest_hour.has_value(), hour.mean));
  json("lost", "why the source of its intensity cannot be reached", IfAny(lost));
  json("devices", "how many jobs may have", devices);
  json("free", "those that no job has", free);
  json("away", "further ones that are gone and expected back", away);
  json("jobs", "what runs there, by number", jobs);
}

void SitesAnswer::Describe(report::DescribedJson& json) const {
  json.Is("Sites", "The sites of the service.")("now", "the service's clock", now);
  json("sites", "its own machine first", sites);
}

SitesAnswer SitesOf(const service::View& view) {
  SitesAnswer answer;
  answer.now = view.now;
  for (std::size_t i = 0; i < view.cluster.sites.size(); ++i) {
    SiteNow& site = answer.sites.emplace_back();
    site.site = view.cluster.sites[i];
    if (i >= view.signals.size()) continue;
    if (view.signals[i].view) PutGrid(*view.signals[i].view, view.now, site);
    site.lost = view.signals[i].lost;
  }
  PutDevices(view, answer.sites);
  PutJobs(view, answer.sites);
  return answer;
}

}  // namespace ebb::web
