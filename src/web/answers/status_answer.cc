#include "web/answers/status_answer.h"

#include <algorithm>

#include "web/answers/drain_answer.h"
#include "web/answers/sites_answer.h"

namespace ebb::web {
namespace {

using report::DescribedJson;
using report::IfAny;
using report::OrNull;
using service::View;

// Null if energy was used and its grams are unknown: 0 g would be a false claim.
OrNull<Emissions> GramsUnlessUnknown(Emissions emissions, Energy energy, bool is_known) {
  if (!is_known && energy > Energy{} && emissions.grams == 0) return {};
  return {emissions};
}

OrNull<Emissions> EmittedInAll(const View& view, const service::JobTotals& totals) {
  const store::EndedSums& forgotten = view.forgotten;
  const bool is_known = totals.any_emissions || forgotten.on_submission.jobs > 0;
  return GramsUnlessUnknown(forgotten.emissions + totals.emissions,
                            forgotten.energy + totals.energy, is_known);
}

// The emissions of a program in an hour at its present power; nullopt while the power is unknown.
std::optional<Emissions> HourlyEmissions(const View& view,
                                         const local::SupervisedFigures& program) {
  const auto pool = static_cast<std::size_t>(program.pool);
  if (!program.is_measured) return std::nullopt;
  if (program.pool < 0 || pool >= view.cluster.pools.size()) return std::nullopt;
  const auto site = static_cast<std::size_t>(view.cluster.pools[pool].site);
  if (site >= view.signals.size() || !view.signals[site].view) return std::nullopt;
  const core::Sample* sample = view.signals[site].view->At(view.now);
  if (!sample) return std::nullopt;
  const double kwh = program.figures.power.watts / 1000;  // energy in one hour
  return Emissions{kwh * view.cluster.sites[site].pue.ratio * sample->intensity.g_per_kwh};
}

struct Running {
  local::SupervisedFigures program;
  std::optional<Emissions> hourly;
  void Describe(DescribedJson& json) const {
    const local::LiveFigures& figures = program.figures;
    const auto known = [&](auto value) {
      return OrNull(program.is_measured ? std::optional(value) : std::nullopt);
    };
    json.Is("Running", "A program that runs.")("job", "the number of its job", program.job);
    json("attempt", "of its job, from 1 on", program.attempt);
    json("pool", "which of pools, from 0 on", program.pool);
    json("slots", "of the pool, from 0 on", program.slots);
    json("gpus", "UUIDs of the same slots; empty: it has no GPU", program.gpus);
    json("elapsed_s", "since it began", figures.elapsed);
    json("power_w", "of all its devices", known(figures.power));
    json("energy_kwh", "of this attempt", known(figures.energy));
    json("emissions_g", "of this attempt, in g CO2e",
         program.is_measured
             ? GramsUnlessUnknown(figures.emissions, figures.energy, hourly.has_value())
             : OrNull<Emissions>{});
    json("emissions_g_per_hour", "at its present power", hourly);
    json("cpu_percent", "of all processors of its machine, in its latest reading",
         program.cpu_percent);
  }
};

// The local midnight since which the figures count. A day that ended after the view was published
// has been followed by one without any use.
struct Today {
  service::DayFigures figures;
  Time now{};
  void Describe(DescribedJson& json) const {
    const bool is_over = now >= figures.day.end;
    const service::DayFigures none;
    const service::DayFigures& shown = is_over ? none : figures;
    json.Is("Today", "What all jobs used since the last midnight by the service's local clock.");
    json("since", "that midnight", is_over ? figures.day.end : figures.day.begin);
    json("energy_kwh", "used since then, also by jobs that have ended", shown.energy);
    json("emissions_g", "for the energy whose intensity is known; in g CO2e",
         OrNull(shown.emissions));
  }
};

// A saving below 0 means more emissions than the baseline.
struct Saving {
  store::Compared compared;
  bool on_submission = true;
  void Describe(DescribedJson& json) const {
    json.Is("Saving", "What jobs that have ended emitted less than a baseline.");
    json("jobs", "that are compared", compared.jobs);
    json("not_compared", "jobs whose baseline is not known", compared.not_compared);
    json("jobs_emissions_g", "what they emitted", compared.emitted);
    const auto baseline = [&](bool is_it) {
      return is_it ? std::optional(compared.baseline) : std::nullopt;
    };
    json("at_submission_g", "each alone, had it started when it was submitted",
         baseline(on_submission));
    json("first_come_g", "all of them, had they been first come, first served",
         baseline(!on_submission));
    json("saved_g", "the baseline less what they emitted", compared.baseline - compared.emitted);
    json("half_width_g", "half of the 95 % interval of saved_g, at most", compared.half_width_g);
    json("without_interval", "jobs whose saving has no interval", compared.without_interval);
  }
};

struct Signal {
  service::SiteSignalView signal;
  Time now{};
  void Describe(DescribedJson& json) const {
    const auto* identity = signal.view ? &signal.view->known.identity() : nullptr;
    const core::Sample* sample = signal.view ? signal.view->At(now) : nullptr;
    json.Is("Signal", "The intensity at a site.");
    json("zone", "its zone", identity ? &identity->zone : nullptr);
    json("source", "whose values they are", identity ? &identity->source : nullptr);
    json("g_per_kwh", "now", sample ? std::optional(sample->intensity) : std::nullopt);
    json("status", "how that is known",
         sample ? std::optional(std::string(core::Name(sample->status))) : std::nullopt);
    json("lost", "why its source cannot be reached", IfAny(signal.lost));
  }
};

struct Pool {
  core::DevicePool pool;
  std::string site;  // empty: there is one site
  void Describe(DescribedJson& json) const {
    json.Is("Pool", "Devices of one model at one site.")("model", "cpu: slots", pool.model);
    json("count", "those that are there or expected back", pool.count);
    json("away", "gone and expected back", pool.away);
    json("site", "where they are, if the service has several sites", IfAny(site));
  }
};

std::string StateOf(const local::Device& device) {
  return device.gone_since ? "gone" : device.aside ? "set aside" : "ready";
}

// A GPU of the service. CPU devices are only slots and are not listed.
struct DeviceNow {
  local::Device device;
  std::optional<std::string> model;
  std::optional<local::SupervisedFigures> program;  // that has it

  // The program's figure of this device.
  template <typename T>
  std::optional<T> Of(std::vector<std::optional<T>> local::SupervisedFigures::*figures) const {
    if (!program) return std::nullopt;
    const auto at = static_cast<std::size_t>(std::ranges::find(program->gpus, device.name) -
                                             program->gpus.begin());
    return at < (*program.*figures).size() ? (*program.*figures)[at] : std::nullopt;
  }
  void Describe(DescribedJson& json) const {
    const local::SetAside* aside = !device.gone_since && device.aside ? &*device.aside : nullptr;
    json.Is("Device", "A GPU of the service.")("name", "its UUID", device.name);
    json("pool", "which of pools, from 0 on", device.pool);
    json("slot", "of the pool, from 0 on", device.slot);
    json("model", "its model", model);
    json("index", "its number in nvidia-smi", device.index);
    json("state", "ready, set aside or gone", StateOf(device));
    json("since", "when it was set aside, or had gone",
         device.gone_since ? device.gone_since
         : aside           ? std::optional(aside->since)
                           : std::nullopt);
    json("by", "who set it aside: person, failures or fault",
         aside ? std::optional(std::string(local::Name(aside->by))) : std::nullopt);
    json("why", "why it was set aside", aside ? IfAny(aside->why) : nullptr);
    json("retry_at", "when it is tried again", aside ? aside->retry_at : std::nullopt);
    json("job", "the job that has it", program ? std::optional(program->job) : std::nullopt);
    json("power_w", "in the latest reading of the job", Of(&local::SupervisedFigures::gpu_power));
    json("utilisation_percent", "in the latest reading of the job",
         Of(&local::SupervisedFigures::gpu_percent));
    json("power_cap", "with which the job was started: 250W, 70% or auto",
         program && program->power_cap ? std::optional(core::Describe(*program->power_cap))
                                       : std::nullopt);
  }
};

struct Budget {
  service::BudgetView budget;
  void Describe(DescribedJson& json) const {
    json.Is("NamespaceBudget", "The monthly budget of a namespace of a cluster.");
    json("namespace", "its name", budget.name);
    json("month", "2026-11", budget.month);
    json("starts_again", "the begin of the next month", budget.starts_again);
    json("energy_kwh", "used, with PUE", budget.energy);
    json("estimated_kwh", "the part that nobody measured", budget.estimated);
    json("emissions_g", "emitted", GramsUnlessUnknown(budget.emissions, budget.energy, false));
    json("energy_limit_kwh", "of the month", budget.energy_limit);
    json("emissions_limit_g", "of the month", budget.emissions_limit);
    json("why", "why it holds jobs back", IfAny(budget.why));
  }
};

struct Event {
  service::ServiceEvent event;
  void Describe(DescribedJson& json) const {
    json.Is("Event", "Something that happened.")("number", "ascending", event.number);
    json("at", "when", event.at)("job", "of which job; 0: of none", event.job);
    json("text", "as a sentence, with times in UTC", event.text);
  }
};

std::vector<std::pair<std::string, std::int64_t>> StagesOf(const service::JobTotals& totals) {
  std::vector<std::pair<std::string, std::int64_t>> stages;
  for (std::size_t stage = 0; stage < totals.stages.size(); ++stage)
    if (const std::int64_t count = totals.stages[stage]; count > 0)
      stages.emplace_back(engine::Name(static_cast<engine::Stage>(stage)), count);
  return stages;
}

std::vector<Running> RunningIn(const View& view) {
  std::vector<Running> running;
  for (const local::SupervisedFigures& program : view.running)
    running.push_back({program, HourlyEmissions(view, program)});
  return running;
}

std::vector<Pool> PoolsOf(const core::Cluster& cluster) {
  std::vector<Pool> pools;
  for (const core::DevicePool& pool : cluster.pools)
    pools.push_back({pool, cluster.sites.size() > 1
                               ? cluster.sites[static_cast<std::size_t>(pool.site)].name
                               : ""});
  return pools;
}

std::vector<DeviceNow> DevicesOf(const View& view) {
  std::vector<DeviceNow> devices;
  for (const local::Device& device : view.devices) {
    if (!device.offered) continue;
    DeviceNow& now = devices.emplace_back(DeviceNow{device, {}, {}});
    if (const auto pool = static_cast<std::size_t>(device.pool); pool < view.cluster.pools.size())
      now.model = view.cluster.pools[pool].model;
    for (const local::SupervisedFigures& program : view.running)
      if (std::ranges::find(program.gpus, device.name) != program.gpus.end()) now.program = program;
  }
  return devices;
}

template <typename Shown, typename T, typename... Rest>
std::vector<Shown> Each(const std::vector<T>& list, Rest... rest) {
  std::vector<Shown> shown;
  for (const T& one : list) shown.push_back({one, rest...});
  return shown;
}

}  // namespace

void StatusAnswer::Describe(DescribedJson& json) const {
  const View none;
  const View& shown = view ? *view : none;
  const service::JobTotals totals = shown.jobs.Totals();
  // The sums include the jobs that are only in the store.
  store::EndedSums ended = shown.forgotten;
  ended += totals.ended;
  json.Is("Status", "What runs, what was used and saved, signals, devices and the latest events.");
  json("version", "ascending", shown.version);
  json("now", "on the grid clock", shown.now);
  json("jobs", "how many, by stage; stages without jobs are left out", StagesOf(totals));
  json("running", "programs", RunningIn(shown));
  json("energy_kwh", "of all jobs that the service ever ran",
       shown.forgotten.energy + totals.energy);
  json("emissions_g", "of the same jobs, in g CO2e", EmittedInAll(shown, totals));
  json("today", "of all jobs since local midnight", Today{shown.today, std::max(now, shown.now)});
  json("saved", "against a start at submission", Saving{ended.on_submission, true});
  json("saved_on_first_come", "against first come, first served",
       Saving{ended.on_first_come, false});
  json("signals", "by site", Each<Signal>(shown.signals, shown.now));
  json("pools", "of devices", PoolsOf(shown.cluster));
  json("sites", "if there are several",
       shown.cluster.sites.size() > 1 ? std::optional(SitesOf(shown).sites) : std::nullopt);
  json("devices", "GPUs", DevicesOf(shown));
  json("device_trouble", "why no GPU can be given to a job", IfAny(shown.device_trouble));
  json("budgets", "of namespaces", IfAny(Each<Budget>(shown.budgets)));
  json("drain", "while the service drains",
       shown.drain ? std::optional(DrainAnswer(shown)) : std::nullopt);
  std::vector<service::ServiceEvent> events = shown.events;
  std::erase_if(events, [&](const auto& event) { return event.number <= after_event; });
  json("events", "the latest, the oldest first", Each<Event>(events));
  json("trouble", "why nothing can be started or submitted", IfAny(shown.trouble));
}

std::string ViewToJson(const View& view, std::uint64_t after_event, Time now) {
  return report::ToJson(StatusAnswer{&view, after_event, now});
}

}  // namespace ebb::web
