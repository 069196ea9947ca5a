#include "web/notify/notices.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/enum_names.h"
#include "base/text.h"
#include "base/times_in_text.h"
#include "base/units_text.h"
#include "engine/state.h"

namespace ebb::web {
namespace {

using service::JobCard;
using service::View;

constexpr std::array<std::string_view, 11> kEventNames{
    "low_carbon",     "budget",      "deadline_at_risk", "job_failed",
    "job_refused",    "signal_lost", "signal_regained",  "store_trouble",
    "store_regained", "device_lost", "device_regained"};
constexpr Duration kDay{std::chrono::hours{24}};
constexpr Duration kLeastKnown{std::chrono::hours{12}};
// The low-carbon notice ends above the limit times this factor, so that a value that hovers at the
// limit gives one notice.
constexpr double kLeavesAbove = 1.05;
constexpr double kWarningPerCent = 80;
// Plans are exact to the second, so a deadline that is missed by less than a minute gives no
// notice.
constexpr Duration kSlack{std::chrono::minutes{1}};

std::string JobText(const JobCard& card) {
  const core::Job& job = card.submission->job;
  return "job " + std::to_string(job.id) + " (" + job.name + ")";
}

Notice OfJob(NoticeEvent event, const View& view, const JobCard& card, const std::string& text) {
  Notice notice{event, view.now, JobText(card) + " " + text, 0, "", "", {}};
  notice.job = card.submission->job.id;
  notice.job_name = card.submission->job.name;
  return notice;
}

// The facility energy of a job in kWh, which budgets count.
double UsedKwh(const View& view, const JobCard& card) {
  const int pool = card.explanation.pool;
  const bool known = pool >= 0 && static_cast<std::size_t>(pool) < view.cluster.pools.size();
  return card.energy.kwh() * (known ? view.cluster.SiteOf(pool).pue.ratio : 1);
}

// Removes the ids of jobs that are no longer in the view.
template <class Ids>
void Prune(Ids& ids, const View& view) {
  std::erase_if(ids, [&](const auto& entry) {
    if constexpr (requires { entry.first; })
      return !view.jobs.Find(entry.first);
    else
      return !view.jobs.Find(entry);
  });
}

}  // namespace

std::string_view Name(NoticeEvent event) { return kEventNames[static_cast<std::size_t>(event)]; }
std::optional<NoticeEvent> NoticeEventFromName(std::string_view name) {
  return EnumFromName<NoticeEvent>(kEventNames, name);
}
std::vector<std::string> NoticeEventNames() { return {kEventNames.begin(), kEventNames.end()}; }

std::optional<Intensity> LowestQuarter(const core::SignalView& view, Time now) {
  std::vector<std::pair<double, Duration>> values;
  Duration known{0};
  for (const core::IntensitySeries* series : {&view.known, &view.forecast.series})
    for (const core::Sample& sample : series->samples()) {
      const Duration part = Overlap(sample.interval, {now - kDay, now + kDay}).length();
      if (part == Duration::zero()) continue;
      values.emplace_back(sample.intensity.g_per_kwh, part);
      known += part;
    }
  if (known < kLeastKnown) return std::nullopt;
  std::sort(values.begin(), values.end());
  Duration below{0};
  for (const auto& [value, part] : values) {
    below += part;
    if (4 * below >= known) return Intensity{value};
  }
  return std::nullopt;
}

void NoticeFinder::Add(Notice notice) {
  if (!began_) return;
  if (options_.events.empty() || options_.events.contains(notice.event))
    found_.push_back(std::move(notice));
}

void NoticeFinder::LookAtSignal(const View& view, const service::SiteSignalView& signal,
                                SignalState& state) {
  const core::Sample* sample = signal.view ? signal.view->At(view.now) : nullptr;
  const std::string zone = signal.view ? signal.view->known.identity().zone : "";
  const std::string of_zone = zone.empty() ? "" : " of " + zone;
  // A service that has just started has not received a value yet; its signal is not lost.
  const bool lost = !signal.lost.empty() || (state.heard && !sample);
  if (lost != state.lost) {
    std::string text = "the intensity" + of_zone + " is known again";
    if (!sample)
      text = "the intensity" + of_zone + " is not known";
    else if (lost)
      text = "the source of the intensity" + of_zone +
             " cannot be reached; what was known or expected stands in: " + signal.lost;
    Add({lost ? NoticeEvent::kSignalLost : NoticeEvent::kSignalRegained, view.now, text, 0, "",
         zone, sample ? std::optional(sample->intensity) : std::nullopt});
  }
  state.lost = lost;
  if (!sample) return;
  const bool is_first = !std::exchange(state.heard, true);
  const auto limit =
      options_.low_carbon ? options_.low_carbon : LowestQuarter(*signal.view, view.now);
  if (!limit) return;
  const double value = sample->intensity.g_per_kwh;
  if (!state.low && value <= limit->g_per_kwh) {
    state.low = true;
    if (!is_first)
      Add({NoticeEvent::kLowCarbon, view.now,
           "the grid" + of_zone + " is clean: " + IntensityText(sample->intensity) + ", at most " +
               IntensityText(*limit),
           0, "", zone, sample->intensity});
  } else if (value > limit->g_per_kwh * kLeavesAbove) {
    state.low = false;
  }
}

void NoticeFinder::LookAtBudget(const View& view, const JobCard& card) {
  const core::Budget& budget = card.submission->budget;
  if (budget.empty()) return;
  double per_cent = 0;
  std::string what;
  const auto look = [&](double used, core::BudgetMeasure measure) {
    const std::optional<double> limit = budget.Limit(measure);
    if (!limit || *limit <= 0 || 100 * used / *limit <= per_cent) return;
    per_cent = 100 * used / *limit;
    what = core::AmountText(used, measure) + " of " + core::AmountText(*limit, measure);
  };
  look(UsedKwh(view, card), core::BudgetMeasure::kEnergy);
  if (card.emissions) look(card.emissions->grams, core::BudgetMeasure::kEmissions);
  const int level = per_cent >= 100 ? 100 : per_cent >= kWarningPerCent ? 80 : 0;
  if (level == 0) return;
  int& told = budget_per_cent_[card.submission->job.id];
  if (level <= told) return;
  told = level;
  Add(OfJob(NoticeEvent::kBudget, view, card,
            "has used " + FormatFixed(per_cent, 0) + " % of its budget: " + what));
}

void NoticeFinder::LookAtJob(const View& view, const JobCard& card) {
  const engine::Explanation& now = card.explanation;
  const core::Job& job = card.submission->job;
  LookAtBudget(view, card);
  if (now.stage == engine::Stage::kFailed) {
    if (failed_.insert(job.id).second)
      Add(OfJob(NoticeEvent::kJobFailed, view, card,
                "failed" + (card.detail.empty()
                                ? " with exit code " + std::to_string(card.exit_code.value_or(0))
                                : ": " + card.detail)));
    return;
  }
  if (engine::HasEnded(now.stage)) return;
  const bool starts_late = !engine::HoldsDevices(now.stage) && now.reason.latest &&
                           now.reason.start && *now.reason.start > *now.reason.latest + kSlack;
  const bool ends_late =
      job.finish_by && now.reason.end && *now.reason.end > *job.finish_by + kSlack;
  if ((!starts_late && !ends_late) || !at_risk_.insert(job.id).second) return;
  Add(OfJob(NoticeEvent::kDeadlineAtRisk, view, card,
            starts_late ? "must start by " + MinuteText(*now.reason.latest) +
                              " and is expected to start at " + MinuteText(*now.reason.start)
                        : "must end by " + MinuteText(*job.finish_by) +
                              " and is expected to end at " + MinuteText(*now.reason.end)));
}

void NoticeFinder::LookAtDevices(const View& view) {
  const auto tell = [&](bool lost, std::string text) {
    Add({lost ? NoticeEvent::kDeviceLost : NoticeEvent::kDeviceRegained,
         view.now,
         std::move(text),
         0,
         "",
         "",
         {}});
  };
  const bool none = !view.device_trouble.empty();
  if (none != no_device_)
    tell(none, none ? "no GPU can be given to a job: " + view.device_trouble
                    : "GPUs can be given to jobs again");
  no_device_ = none;
  std::map<std::string, std::string> lost;
  for (const local::Device& device : view.devices) {
    if (!device.offered || (!device.aside && !device.gone_since)) continue;
    lost[device.name] = device.gone_since ? "is gone" : "is set aside: " + device.aside->why;
  }
  for (const auto& [name, how] : lost)
    if (!lost_devices_.contains(name)) tell(true, name + " " + how);
  for (const auto& [name, how] : lost_devices_)
    if (!lost.contains(name)) tell(false, name + " can be given to jobs again");
  lost_devices_ = std::move(lost);
}

std::vector<Notice> NoticeFinder::Look(const View& view) {
  const bool trouble = !view.trouble.empty();
  if (trouble != trouble_)
    Add({trouble ? NoticeEvent::kStoreTrouble : NoticeEvent::kStoreRegained,
         view.now,
         trouble ? view.trouble : "the store can be written again",
         0,
         "",
         "",
         {}});
  trouble_ = trouble;
  for (const service::ServiceEvent& event : view.events)
    if (event.number > last_event_ && event.refusal)
      Add({NoticeEvent::kJobRefused, event.at, event.text, event.job, "", "", {}});
  if (!view.events.empty()) last_event_ = view.events.back().number;
  LookAtDevices(view);
  for (std::size_t site = 0; site < view.signals.size(); ++site)
    LookAtSignal(view, view.signals[site], signals_[site]);
  view.jobs.ForEach(0, [&](const JobCard& card) {
    LookAtJob(view, card);
    return true;
  });
  Prune(failed_, view);
  Prune(at_risk_, view);
  Prune(budget_per_cent_, view);
  began_ = true;
  return std::exchange(found_, {});
}

std::string ToJson(const Notice& notice, const std::string& service) {
  nlohmann::ordered_json json{{"event", Name(notice.event)},
                              {"text", "Ebb: " + notice.text},
                              {"at", FormatTime(notice.at)},
                              {"service", service}};
  if (notice.job > 0) json["job"] = {{"id", notice.job}, {"name", notice.job_name}};
  if (!notice.zone.empty()) json["zone"] = notice.zone;
  if (notice.intensity) json["g_per_kwh"] = notice.intensity->g_per_kwh;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ebb::web
