#include "plan/deadline.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "core/jobs/move.h"
#include "core/signal/one_value.h"

namespace ebb::plan {
namespace {
constexpr std::array<std::string_view, 2> kAtDeadlineNames{"start", "stop"};
}  // namespace

std::string_view Name(AtDeadline at_deadline) {
  return kAtDeadlineNames[static_cast<std::size_t>(at_deadline)];
}
std::optional<AtDeadline> AtDeadlineFromName(std::string_view name) {
  return EnumFromName<AtDeadline>(kAtDeadlineNames, name);
}
std::vector<std::string> AtDeadlineNames() {
  return {kAtDeadlineNames.begin(), kAtDeadlineNames.end()};
}

using core::GateAction;
using core::GateRule;

core::GateDecision DecisionAt(const GateRequest& request, const GateMoment& moment) {
  core::GateDecision decision;
  decision.at = moment.view.now;
  decision.reason.latest = request.latest_start;
  decision.wake_at = std::min(request.latest_start, moment.next_change);
  if (const core::Sample* current = moment.view.Current()) {
    decision.reason.current = current->intensity;
    decision.current_status = current->status;
    decision.current_source = core::LinkOf(moment.view.known.identity(), *current);
  }
  return decision;
}

core::GateDecision RunNow(core::GateDecision decision, const GateRequest& request,
                          core::GateRule rule) {
  const bool running = request.state == JobState::kRunning;
  decision.action = running ? GateAction::kKeepRunning : GateAction::kStart;
  decision.reason.rule = rule;
  decision.reason.start = running ? request.segment_begin : decision.at;
  return decision;
}

core::GateDecision KeepRunning(const GateRequest& request, const GateMoment& moment) {
  return RunNow(DecisionAt(request, moment), request, GateRule::kRunning);
}

Duration JudgedLength(const GateRequest& request, const GateMoment& moment) {
  const Duration ahead =
      moment.ahead.empty() ? Duration::zero() : moment.ahead.end() - moment.view.now;
  return std::min(request.remaining, ahead / 2);
}

std::optional<core::GateDecision> AtLatestStart(const GateRequest& request,
                                                const GateMoment& moment) {
  if (moment.view.now < request.latest_start) return std::nullopt;
  core::GateDecision decision = DecisionAt(request, moment);
  if (request.at_deadline == AtDeadline::kStop) {
    decision.action = GateAction::kStop;
    decision.reason.rule = GateRule::kStoppedAtDeadline;
    return decision;
  }
  return RunNow(std::move(decision), request, GateRule::kLatestStart);
}

std::optional<core::GateDecision> AtOutage(const GateRequest& request, const GateMoment& moment) {
  if (request.on_outage == core::OnOutage::kWait || moment.view.Current()) return std::nullopt;
  core::GateDecision decision = DecisionAt(request, moment);
  if (request.on_outage == core::OnOutage::kRun)
    return RunNow(std::move(decision), request, GateRule::kRunsInOutage);
  decision.action = GateAction::kStop;
  decision.reason.rule = GateRule::kStoppedInOutage;
  return decision;
}

std::optional<core::GateDecision> AtUnknownHours(const GateRequest& request,
                                                 const GateMoment& moment) {
  if (core::KnowsHours(moment.view) || !moment.view.Current()) return std::nullopt;
  if (request.state == JobState::kRunning) return KeepRunning(request, moment);
  core::GateDecision decision = DecisionAt(request, moment);
  decision.reason.expected = decision.reason.current;
  decision.mean_if_now = decision.reason.current;
  decision.judged = JudgedLength(request, moment);
  return RunNow(std::move(decision), request, GateRule::kHoursUnknown);
}

bool NothingKnown(const SiteView& site) {
  if (!site.awaited || !site.view || site.view->Current()) return false;
  const core::IntensitySeries& ahead = site.view->forecast.series;
  return ahead.empty() || ahead.span().end <= site.view->now;
}

namespace {

// The latest moment at which the job runs on the pool, with its files there.
std::optional<Time> LatestRunOn(const JobView& view, const core::DevicePool& pool) {
  const core::Job& job = *view.job;
  const bool begun = view.state != JobState::kWaiting || view.pauses > 0;
  if (!begun) return core::LatestStartOn(job, pool, view.remaining);
  std::optional<Time> end = job.finish_by;
  if (!end && job.start_by) end = *job.start_by + core::TimeOn(job, pool, job.duration);
  if (!end) return std::nullopt;
  return *end - core::TimeOn(job, pool, view.remaining) - job.pause_cost;
}

}  // namespace

Time LatestStart(const JobView& view, const core::Cluster& cluster, int pool) {
  const auto latest = LatestRunOn(view, cluster.pools[static_cast<std::size_t>(pool)]);
  if (!latest) return Time::max();
  return *latest - core::MoveTo(*view.job, cluster, view.last_site, pool).takes;
}

Time LatestStart(const JobView& view, const core::Cluster& cluster, Time now) {
  Time slowest = Time::max();
  Time fastest = Time::min();
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool) {
    if (!core::Fits(*view.job, cluster, pool)) continue;
    const Time latest = LatestStart(view, cluster, pool);
    fastest = std::max(fastest, latest);
    if (latest >= now) slowest = std::min(slowest, latest);
  }
  if (slowest != Time::max()) return slowest;
  return fastest == Time::min() ? Time::max() : fastest;
}

}  // namespace ebb::plan
