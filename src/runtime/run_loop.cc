#include "runtime/run_loop.h"

#include <algorithm>
#include <utility>

namespace ebb::runtime {
namespace {

using engine::Event;

// The feed of one site, and the time of its next observation.
struct FeedState {
  SignalFeed* feed = nullptr;
  Time due = Time::min();
  int failures = 0;
  std::uint64_t news = 0;  // count of the feed's news at the last observation
};

class Loop {
 public:
  Loop(engine::Engine& engine, const LoopPorts& ports, const LoopOptions& options)
      : engine_(engine), ports_(ports), options_(options) {
    for (SignalFeed* feed : ports.feeds) feeds_.push_back({feed});
  }

  Result<LoopResult> Run();

 private:
  // Says where the loop stands, in case it hangs.
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
  bool first_look_ = true;            // true: the executor was not asked in this life yet
  Time wake_at_ = Time::min();        // wake-up time of the last decision
  bool only_submissions_ = false;     // true: only submissions have come since the last decision
  std::int64_t decided_events_ = -1;  // number of events before the last decision
  LoopResult result_;
};

// The journal keeps only events that the engine takes, so a replay meets no refusals.
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

// The clock was set, so everything that was due at a time of the old clock is due now.
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

// Gives the engine the present devices, then makes up for commands and reports that a crash lost. A
// life that ended while the clock ran ahead has left an engine whose time lies in the future.
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
  for (std::size_t site = feeds_.size(); site < cluster.sites.size(); ++site)
    feeds_.push_back({ports_.feed_of(cluster.sites[site])});
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
  // If the feed names no later time, the loop asks it again after a while.
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

// A source of submissions hands out a limited number at a time. Before the first decision the loop
// takes all of them: jobs of an earlier life may still run, and a decision that did not know them
// would give their devices away.
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
  // All submissions taken here are stamped with this time, not with the later time at which each is
  // handled.
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

// The time that the next decision may wait. If nothing has happened and nothing is due, it waits
// on.
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

// Observers may have much to do for each decision, so commands are given before they are told. The
// first decision of a life is an exception: whether a command may be given can depend on what runs,
// and observers learn that from this decision. A decision may have thousands of commands, so an
// interrupt stops between two of them. The other commands are stored, and the next life gives them.
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

// A start that cannot even be tried counts as a failed start. Any other command is given again
// soon.
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
  // A command that failed has added an event, so the next decision is due at once.
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

// The outcomes of commands are stored, so that the next life need not find them out.
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
