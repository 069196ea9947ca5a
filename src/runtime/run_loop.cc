#include "runtime/run_loop.h"

#include <algorithm>
#include <utility>

namespace ebb::runtime {
namespace {

using engine::Event;

// One site's feed and when to ask it next.
struct FeedState {
  SignalFeed* feed = nullptr;
  Time due = Time::min();
  int failures = 0;
  std::uint64_t news = 0;  // of the feed, as last observed
};

class Loop {
 public:
  Loop(engine::Engine& engine, const LoopPorts& ports, const LoopOptions& options)
      : engine_(engine), ports_(ports), options_(options) {
    for (SignalFeed* feed : ports.feeds) feeds_.push_back({feed});
  }

  Result<LoopResult> Run();

 private:
  // Where it stands, should it not go on.
  void At(const char* doing, core::JobId job = 0) const {
    if (ports_.heartbeat) ports_.heartbeat->At(doing, job);
  }
  Time Now() const { return std::max(ports_.executor.Now(), result_.ended); }
  Status Give(Event event, Ticket ticket = 0);
  Status Recover();
  Status ObserveCluster();
  Status FollowClock();
  Status Follow(const engine::ClockSet& set);
  Status Reconcile();
  Status ObserveSignals();
  Status ObserveSignal(int site, FeedState& state);
  Status TakeSubmissions();
  Status TakeSome();
  Status TakeReports(std::vector<engine::JobReport> reports);
  Duration Patience() const;
  Time PlanDueAt() const;
  Status Store();
  Status StoreAndWait(Duration patience);
  Result<Time> DecideAndExecute();
  Status ExecuteAndTell(const engine::Decision& decision);
  Status NotDone(const engine::Command& command, const Error& why);
  Status WaitUntil(Time deadline);
  Result<LoopResult> Stop();
  Time NextDue(Time wake_at) const;
  bool Finished() const;

  engine::Engine& engine_;
  const LoopPorts& ports_;
  const LoopOptions& options_;
  std::vector<FeedState> feeds_;
  Time reconcile_at_ = Time::min();
  bool first_look_ = true;            // at the executor, in this life
  Time wake_at_ = Time::min();        // of the last decision
  bool only_submissions_ = false;     // have come in since
  std::int64_t decided_events_ = -1;  // so many had come before the last decision
  LoopResult result_;
};

// Only what the engine takes is kept: a replay meets no refusals.
Status Loop::Give(Event event, Ticket ticket) {
  if (ports_.journal || ports_.observer || ticket != 0) {
    Event copy = event;
    if (auto taken = engine_.Apply(std::move(copy)); !taken) {
      if (ticket != 0) ports_.submissions.OnRefused(ticket, event, taken.error());
      if (ports_.observer) ports_.observer->OnRefused(event, taken.error());
      return {};
    }
    if (ports_.journal) EBB_RETURN_IF_ERROR(ports_.journal->Append(event));
    if (ticket != 0) ports_.submissions.OnTaken(ticket, event);
    if (ports_.observer) ports_.observer->OnEvent(event);
  } else {
    std::ignore = engine_.Apply(std::move(event));
  }
  ++result_.events;
  only_submissions_ = false;
  return {};
}

// What was to be done at moments of the clock as it was is due anew.
Status Loop::Follow(const engine::ClockSet& set) {
  result_.ended = set.to;
  reconcile_at_ = wake_at_ = Time::min();
  for (FeedState& state : feeds_) state.due = Time::min();
  return Give({set.to, set});
}

Status Loop::FollowClock() {
  const auto set = ports_.executor.TakeClockSet();
  return set ? Follow(*set) : Status{};
}

// Devices as they are now; then commands and reports that a crash swallowed. A life that ended
// while the clock ran ahead has left an engine whose time lies in the future.
Status Loop::Recover() {
  const Time now = ports_.executor.Now();
  result_.ended = std::max(now, engine_.state().now);
  if (engine_.state().now > now + options_.clock_tolerance)
    EBB_RETURN_IF_ERROR(Follow({engine_.state().now, now}));
  EBB_RETURN_IF_ERROR(ObserveCluster());
  return Reconcile();
}

Status Loop::ObserveCluster() {
  core::Cluster cluster = ports_.executor.cluster();
  if (cluster == engine_.state().cluster) return {};
  return Give({Now(), engine::ClusterChanged{std::move(cluster)}});
}

Status Loop::Reconcile() {
  At("comparing the queue with what runs");
  reconcile_at_ = Now() + options_.reconcile_every;
  EBB_ASSIGN_OR_RETURN(auto reports, ports_.executor.Observe());
  const engine::ExecutorObserved observed{std::move(reports), std::exchange(first_look_, false)};
  if (engine_.Differs(observed)) EBB_RETURN_IF_ERROR(Give({Now(), observed}));
  for (const engine::JobReport& report : observed.reports)
    if (engine_.state().FindEnded(report.job)) ports_.executor.Forget(report.job);
  return {};
}

Status Loop::ObserveSignal(int site, FeedState& state) {
  At("reading the carbon intensity");
  const Time now = Now();
  state.news = state.feed->news();
  auto view = state.feed->Observe(now, options_.horizon);
  if (!view) {
    const int doublings = std::min(state.failures++, 20);
    const Duration wait = std::min(options_.signal_retry * (std::int64_t{1} << doublings),
                                   options_.signal_retry_limit);
    state.due = now + wait;
    return Give({now, engine::SignalLost{site, view.error().Message(), state.due}});
  }
  state.failures = 0;
  // A feed that names no later moment is asked again after a while.
  const Time next = state.feed->NextChange(now);
  state.due = next > now ? next : now + options_.signal_retry;
  return Give({now, engine::SignalObserved{site, *std::move(view), state.due}});
}

Status Loop::ObserveSignals() {
  for (std::size_t site = 0; site < feeds_.size(); ++site) {
    FeedState& state = feeds_[site];
    if (state.feed && (state.due <= Now() || state.feed->news() != state.news))
      EBB_RETURN_IF_ERROR(ObserveSignal(static_cast<int>(site), state));
  }
  return {};
}

// Whoever submits hands out so many at a time. Of jobs of an earlier life some may run: the first
// decision would give their devices away if it did not know all of them.
Status Loop::TakeSubmissions() {
  At("taking submissions");
  std::int64_t taken;
  do {
    taken = result_.events;
    EBB_RETURN_IF_ERROR(TakeSome());
  } while (result_.cycles == 0 && result_.events > taken);
  return TakeReports(ports_.executor.TakeEarly());
}

Status Loop::TakeSome() {
  if (ports_.submissions.NextAt() > Now()) return {};
  const bool only_submissions = only_submissions_;
  // Whoever wants something at once wants it now, and not at a later moment.
  const Time now = Now();
  for (auto submitted = ports_.submissions.Take(now); !submitted.empty();
       submitted = ports_.submissions.Take(now)) {
    for (Submitted& each : submitted) {
      const Ticket ticket = each.ticket;
      each.at = now;
      EBB_RETURN_IF_ERROR(Give(std::move(each), ticket));
    }
  }
  only_submissions_ = only_submissions;
  return {};
}

// How long the next decision may wait. One that was woken for nothing waits on.
Duration Loop::Patience() const {
  const bool woken = result_.events == decided_events_ && Now() < NextDue(wake_at_);
  if (woken && !ports_.interrupted()) return options_.reconcile_every;
  const bool due =
      !only_submissions_ || std::min(wake_at_, PlanDueAt()) <= Now() || ports_.interrupted();
  return due ? Duration::zero() : ports_.submissions.Patience();
}

Time Loop::PlanDueAt() const {
  return ports_.plan_worker ? ports_.plan_worker->NextAt() : Time::max();
}

Status Loop::Store() {
  At("writing the store");
  if (ports_.journal) EBB_RETURN_IF_ERROR(ports_.journal->Commit());
  if (ports_.observer) ports_.observer->OnStored();
  return {};
}

Status Loop::StoreAndWait(Duration patience) {
  EBB_RETURN_IF_ERROR(Store());
  return WaitUntil(std::min(NextDue(wake_at_), Now() + patience));
}

// Whoever listens may have much to do for each decision: what has to be done is not kept waiting.
// But in the first decision of a life: whether a command may be given can depend on what runs, and
// of that listeners hear with it. A decision may have thousands of commands: one who asks it to
// stop does not wait for all of them. Those that are left are stored, and the next life gives them.
Status Loop::ExecuteAndTell(const engine::Decision& decision) {
  const bool is_first = result_.cycles == 0;
  const auto tell = [&] {
    if (ports_.observer) ports_.observer->OnDecision(decision, engine_);
  };
  if (is_first) tell();
  std::vector<std::pair<engine::Command, Error>> failed;
  for (const engine::Command& command : decision.commands) {
    if (ports_.interrupted()) break;
    At("starting or ending", std::visit([](const auto& order) { return order.job; }, command));
    if (const auto done = ports_.executor.Execute(command); !done)
      failed.emplace_back(command, done.error());
  }
  At("telling readers what was decided");
  if (!is_first) tell();
  for (const auto& [command, why] : failed) EBB_RETURN_IF_ERROR(NotDone(command, why));
  return {};
}

// A command that cannot even be tried is a failed start, or given again soon.
Status Loop::NotDone(const engine::Command& command, const Error& why) {
  if (ports_.observer) ports_.observer->OnCommandFailed(command, why);
  if (const auto* start = std::get_if<engine::StartJob>(&command))
    return Give({Now(), engine::JobReport{.job = start->job,
                                          .attempt = start->attempt,
                                          .phase = engine::JobPhase::kStartFailed,
                                          .pool = start->pool,
                                          .since = Now(),
                                          .exit_code = static_cast<int>(why.code),
                                          .detail = why.Message(),
                                          .machine_trouble = why.code == ExitCode::kTryLater}});
  reconcile_at_ = std::min(reconcile_at_, Now() + options_.signal_retry);
  return {};
}

Result<Time> Loop::DecideAndExecute() {
  only_submissions_ = true;
  decided_events_ = result_.events;
  At("deciding what runs");
  if (ports_.observer) ports_.observer->OnDeciding();
  const auto planning =
      ports_.plan_worker ? ports_.plan_worker->Choose(engine_) : engine::Planning::kWhole;
  const engine::Decision decision = engine_.Decide(Now(), planning);
  if (ports_.plan_worker) ports_.plan_worker->OnDecided(engine_);
  At("writing the store");
  if (ports_.journal) EBB_RETURN_IF_ERROR(ports_.journal->Append(decision));
  const std::int64_t events = result_.events;
  EBB_RETURN_IF_ERROR(ExecuteAndTell(decision));
  ++result_.cycles;
  // What could not be carried out is news already.
  return result_.events == events ? decision.wake_at : Now();
}

Time Loop::NextDue(Time wake_at) const {
  Time next =
      std::min({wake_at, ports_.submissions.NextAt(), PlanDueAt(), reconcile_at_, options_.end});
  for (const FeedState& state : feeds_)
    if (state.feed) next = std::min(next, state.due);
  return next;
}

Status Loop::WaitUntil(Time deadline) {
  EBB_ASSIGN_OR_RETURN(std::vector<engine::JobReport> reports,
                       ports_.executor.WaitForEvents(deadline));
  return TakeReports(std::move(reports));
}

Status Loop::TakeReports(std::vector<engine::JobReport> reports) {
  for (engine::JobReport& report : reports) {
    const core::JobId job = report.job;
    EBB_RETURN_IF_ERROR(Give({Now(), std::move(report)}));
    if (engine_.state().FindEnded(job)) ports_.executor.Forget(job);
  }
  return {};
}

bool Loop::Finished() const {
  return (engine_.state().idle() && ports_.submissions.closed()) || Now() >= options_.end;
}

// What became of commands is stored, so that the next life need not find out.
Result<LoopResult> Loop::Stop() {
  EBB_RETURN_IF_ERROR(TakeReports(ports_.executor.TakeEarly()));
  EBB_RETURN_IF_ERROR(Store());
  result_.interrupted = true;
  return result_;
}

Result<LoopResult> Loop::Run() {
  EBB_RETURN_IF_ERROR(Recover());
  for (;;) {
    EBB_RETURN_IF_ERROR(FollowClock());
    result_.ended = Now();
    if (reconcile_at_ <= Now()) EBB_RETURN_IF_ERROR(Reconcile());
    EBB_RETURN_IF_ERROR(ObserveSignals());
    EBB_RETURN_IF_ERROR(TakeSubmissions());
    EBB_RETURN_IF_ERROR(ObserveCluster());
    if (const Duration patience = Patience(); patience > Duration::zero()) {
      EBB_RETURN_IF_ERROR(StoreAndWait(patience));
      continue;
    }
    EBB_ASSIGN_OR_RETURN(wake_at_, DecideAndExecute());
    if (Finished()) return result_;
    if (ports_.interrupted()) return Stop();
    EBB_RETURN_IF_ERROR(WaitUntil(NextDue(wake_at_)));
  }
}

}  // namespace

Result<LoopResult> Run(engine::Engine& engine, const LoopPorts& ports, const LoopOptions& options) {
  return Loop(engine, ports, options).Run();
}

}  // namespace ebb::runtime
