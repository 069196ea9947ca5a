#include "plan/gated.h"

#include <algorithm>

#include "core/jobs/move.h"
#include "core/jobs/widths.h"
#include "plan/deadline.h"

namespace ebb::plan {
namespace {

using core::GateAction;
using core::GateRule;

// An intensity above any known one: at a site without one, energy decides.
constexpr Intensity kUnknown{1e6};

// Looks up if a job is in a change, while the caller walks through the jobs in the order of their
// ids.
class ChangedJobs {
 public:
  explicit ChangedJobs(const Change& change)
      : all_(change.signals || change.cluster),
        ids_(all_ ? std::vector<core::JobId>{} : change.jobs) {
    std::sort(ids_.begin(), ids_.end());
  }
  bool Contains(core::JobId id) {
    while (next_ < ids_.size() && ids_[next_] < id) ++next_;
    return all_ || (next_ < ids_.size() && ids_[next_] == id);
  }

 private:
  bool all_;
  std::vector<core::JobId> ids_;
  std::size_t next_ = 0;
};

// The moment of a decision at every site, made when first needed.
class Moments {
 public:
  explicit Moments(const Problem& problem) : problem_(problem), moments_(problem.sites.size()) {}
  const GateMoment& At(int site) {
    const auto index = static_cast<std::size_t>(site);
    if (!moments_[index])
      moments_[index].emplace(*problem_.sites[index].view, problem_.sites[index].next_change);
    return *moments_[index];
  }

 private:
  const Problem& problem_;
  std::vector<std::optional<GateMoment>> moments_;
};

// The gate's decision for one place.
struct Option {
  int pool = -1;
  int width = 0;
  Duration duration{};
  core::GateDecision decision;
  Time latest{};
  Order order;
  double grams = 0;
  bool starts() const { return decision.action == GateAction::kStart; }
};

class Gated final : public Policy {
 public:
  Gated(std::unique_ptr<GatePolicy> gate, const GatedOptions& options)
      : gate_(std::move(gate)), options_(options) {
    if (options_.name.empty()) options_.name = gate_->name();
  }

  std::string_view name() const override { return options_.name; }

  void Update(const Problem& problem, const Change& change, Schedule& schedule) const override {
    ChangedJobs changed(change);
    Moments moments(problem);
    schedule.wake_at = Time::max();
    for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
      const JobView& view = problem.jobs[i];
      JobPlan& plan = schedule.jobs[i];
      const bool due =
          changed.Contains(view.job->id) || plan.wake_at <= problem.now || plan.job != view.job->id;
      if (due) Consider(problem, view, moments, plan);
      schedule.wake_at = std::min(schedule.wake_at, plan.wake_at);
    }
  }

  bool plans_each() const override { return true; }

  void PlanEach(const Problem& problem, std::span<const std::size_t> places,
                Schedule& schedule) const override {
    Moments moments(problem);
    for (const std::size_t place : places)
      Consider(problem, problem.jobs[place], moments, schedule.jobs[place]);
  }

 private:
  void Consider(const Problem& problem, const JobView& view, Moments& moments, JobPlan& plan) const;
  int WidthFor(const Problem& problem, const JobView& view, int pool) const;
  GateRequest RequestFor(const Problem& problem, const JobView& view, int pool, int width) const;
  Option Ask(const Problem& problem, const JobView& view, int pool, Moments& moments) const;

  std::unique_ptr<GatePolicy> gate_;
  GatedOptions options_;
};

const core::DevicePool& PoolOf(const Problem& problem, int pool) {
  return problem.cluster->pools[static_cast<std::size_t>(pool)];
}

// A running job keeps its width.
int Gated::WidthFor(const Problem& problem, const JobView& view, int pool) const {
  if (view.state == JobState::kRunning) return view.width();
  int widest = 0;
  for (const core::WidthSpeed& width : core::WidthsOf(*view.job))
    if (width.devices <= options_.devices &&
        core::FitsAt(*view.job, *problem.cluster, pool, width.devices))
      widest = width.devices;
  return core::WidthFrom(*view.job, widest);
}

GateRequest Gated::RequestFor(const Problem& problem, const JobView& view, int pool,
                              int width) const {
  const core::Job& job = *view.job;
  GateRequest request;
  request.submitted = job.submitted;
  request.latest_start = LatestStart(view, *problem.cluster, problem.now);
  if (request.latest_start == Time::max())
    request.latest_start = job.submitted + options_.default_max_delay;
  request.remaining =
      core::HeldOn(job, *problem.cluster, view.last_site, pool, width, view.remaining);
  if (view.state == JobState::kRunning)
    request.remaining += std::max(Duration::zero(), view.segment_begin + view.moving - problem.now);
  request.state = view.state;
  request.pausable = job.checkpointable;
  request.duration = core::HeldOn(job, *problem.cluster, view.last_site, pool, width, job.duration);
  request.pause_cost = job.pause_cost;
  request.minimum_segment = job.minimum_segment;
  request.segment_begin = view.segment_begin;
  request.pauses = view.pauses;
  request.priority = job.priority;
  request.threshold = job.threshold;
  request.tier = job.tier;
  return request;
}

// The grams of a start now, with the move: the site that sends counts with its present value.
double GramsOf(const Problem& problem, const JobView& view, const Option& option,
               Intensity intensity) {
  std::optional<core::Job> at_width;
  if (option.width != view.job->devices) {
    at_width = *view.job;
    at_width->devices = option.width;
  }
  const auto energy =
      core::EnergyOver(at_width ? *at_width : *view.job, *problem.cluster, view.last_site,
                       option.pool, {problem.now, problem.now + option.duration});
  double grams = EmissionsOf(energy.run.energy, energy.run.pue, intensity).grams +
                 EmissionsOf(energy.set_up.energy, energy.set_up.pue, intensity).grams;
  if (energy.network.energy == Energy{}) return grams;
  const core::SignalView* from = problem.sites[static_cast<std::size_t>(energy.network.site)].view;
  const core::Sample* current = from ? from->Current() : nullptr;
  return grams + EmissionsOf(energy.network.energy, energy.network.pue,
                             current ? current->intensity : kUnknown)
                     .grams;
}

Option Gated::Ask(const Problem& problem, const JobView& view, int pool, Moments& moments) const {
  const int width = WidthFor(problem, view, pool);
  const GateRequest request = RequestFor(problem, view, pool, width);
  const core::DevicePool& devices = PoolOf(problem, pool);
  Option option;
  option.pool = pool;
  option.width = width;
  option.duration = request.remaining;
  option.decision = gate_->Decide(request, moments.At(devices.site));
  option.latest = gate_->LatestStart(request);
  option.order = gate_->OrderOf(request);
  // A job that cannot wait any longer goes before those that can.
  if (option.decision.reason.rule == GateRule::kLatestStart) option.order.rank -= 1'000'000;
  const auto intensity = option.decision.reason.expected ? option.decision.reason.expected
                                                         : option.decision.reason.current;
  option.grams = GramsOf(problem, view, option, intensity.value_or(kUnknown));
  return option;
}

// A start is better than waiting; otherwise fewer grams are better.
bool Better(const Option& a, const Option& b) {
  if (a.starts() != b.starts()) return a.starts();
  return a.grams < b.grams;
}

void Write(const Option& best, const JobView& view, const Problem& problem, JobPlan& plan) {
  const Time now = problem.now;
  const core::GateDecision& decision = best.decision;
  plan.run_now = best.starts() || decision.action == GateAction::kKeepRunning;
  plan.order = best.order;
  plan.reason.rule = decision.reason.rule;
  plan.reason.current = decision.reason.current;
  plan.reason.expected = decision.reason.expected;
  plan.reason.threshold = decision.reason.threshold;
  // Without a known start the job runs at its latest start.
  const Time next =
      std::max(problem.closed_until.value_or(now), decision.reason.start.value_or(best.latest));
  const bool running = view.state == JobState::kRunning && plan.run_now;
  plan.devices = best.width == view.job->devices ? 0 : best.width;
  plan.segments.push_back({best.pool,
                           running ? Interval{view.segment_begin, now + best.duration}
                                   : Interval{next, next + best.duration},
                           plan.devices});
  plan.wake_at = Time::max();
  if (running && !view.job->checkpointable) return;
  // A new value counts as a change by itself, so only moments without a new value need a wake-up.
  for (const Time wake : {best.latest, decision.wake_at, next})
    if (wake > now) plan.wake_at = std::min(plan.wake_at, wake);
}

void Gated::Consider(const Problem& problem, const JobView& view, Moments& moments,
                     JobPlan& plan) const {
  plan.job = view.job->id;
  plan.pool = -1;
  plan.devices = 0;
  plan.segments.clear();
  if (view.state == JobState::kRunning) {
    plan.pool = view.pool;
    return Write(Ask(problem, view, view.pool, moments), view, problem, plan);
  }
  std::optional<Option> best;
  bool everywhere = true;
  for (int pool = 0; pool < static_cast<int>(problem.cluster->pools.size()); ++pool) {
    if (!core::Fits(*view.job, *problem.cluster, pool)) continue;
    Option option = Ask(problem, view, pool, moments);
    everywhere = everywhere && option.starts() == (best ? best->starts() : option.starts());
    if (!best || Better(option, *best)) best = std::move(option);
  }
  if (!best) {  // the job fits nowhere: the cluster shrank
    plan.run_now = false;
    plan.reason.rule = GateRule::kNoFreeDevice;
    plan.wake_at = Time::max();
    return;
  }
  if (!everywhere && best->starts()) plan.pool = best->pool;
  Write(*best, view, problem, plan);
}

}  // namespace

std::unique_ptr<Policy> MakeGated(std::unique_ptr<GatePolicy> gate, const GatedOptions& options) {
  return std::make_unique<Gated>(std::move(gate), options);
}

}  // namespace ebb::plan
