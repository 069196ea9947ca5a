#include "service/service.h"

#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "engine/admission.h"
#include "engine/job_change.h"
#include "local/job_folder.h"
#include "local/kept_pools.h"
#include "plan/feasibility/feasibility.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/program_lookup.h"
#include "platform/system_clock.h"
#include "runtime/run_loop.h"
#include "service/planning/timed.h"
#include "store/device_history.h"
#include "store/engine_setup.h"
#include "store/job_numbers.h"
#include "store/store_clock.h"

namespace ebb::service {

// Tells the views, the accounts and the store what the loop does.
class Service::Observer final : public runtime::LoopObserver {
 public:
  explicit Observer(Service& service) : service_(service) {}
  void OnEvent(const engine::Event& event) override {
    Count(event);
    if (!std::holds_alternative<engine::JobSubmitted>(event.fact)) service_.plan_thread_->Hurry();
    if (const auto* signal = std::get_if<engine::SignalObserved>(&event.fact)) {
      service_.publisher_.FollowSignal(*signal);
      service_.store_.AddSignal(signal->view.known);
      service_.compare_again_ = true;
    } else if (const auto* lost = std::get_if<engine::SignalLost>(&event.fact)) {
      service_.publisher_.FollowLoss(*lost);
    } else if (const auto* set = std::get_if<engine::ClockSet>(&event.fact)) {
      service_.Follow(*set);
    } else if (const auto* report = std::get_if<engine::JobReport>(&event.fact)) {
      service_.SayLostWork(*report);
    } else if (const auto* observed = std::get_if<engine::ExecutorObserved>(&event.fact)) {
      for (const engine::JobReport& seen : observed->reports) service_.SayLostWork(seen);
    } else if (std::holds_alternative<engine::ClusterChanged>(event.fact)) {
      // For devices of this machine the device inventory remembers the pools.
      if (!service_.supervised_)
        store::RememberPools(service_.store_, service_.executor_->cluster());
    }
  }
  void OnRefused(const engine::Event& event, const Error&) override {
    if (std::holds_alternative<engine::JobSubmitted>(event.fact))
      ++service_.publisher_.counters().refused;
  }
  void OnStored() override {
    service_.TakeFigures();
    service_.OnStored();
  }
  void OnDeciding() override { deciding_since_ = ProcessorTime(); }
  void OnDecision(const engine::Decision& decision, const engine::Engine& engine) override {
    service_.OnDecision(decision);
    const std::vector<int> free = engine.state().FreeDevices();
    service_.pace_.Decided(DecisionPace::Clock::now(), ProcessorTime() - deciding_since_,
                           std::any_of(free.begin(), free.end(), [](int n) { return n > 0; }));
  }
  void OnCommandFailed(const engine::Command& command, const Error& error) override {
    const core::JobId job = std::visit([](const auto& c) { return c.job; }, command);
    service_.events_.Say(job, error.Message());
  }

 private:
  void Count(const engine::Event& event) {
    Counters& counters = service_.publisher_.counters();
    if (std::holds_alternative<engine::JobSubmitted>(event.fact)) ++counters.submitted;
    if (std::holds_alternative<engine::SignalLost>(event.fact)) ++counters.signal_losses;
    const auto* report = std::get_if<engine::JobReport>(&event.fact);
    if (!report) return;
    // An exit code of a signal means that the program had started, and was ended from outside.
    constexpr int kBySignal = 128;
    const bool had_started = report->exit_code == 0 || report->exit_code > kBySignal;
    if (report->phase == engine::JobPhase::kStartFailed && !had_started) {
      ++counters.failed_starts;
      ++counters.failed_starts_in_a_row;
    } else if (report->phase == engine::JobPhase::kRunning) {
      counters.failed_starts_in_a_row = 0;
    }
  }
  // The processor time of this thread, without its waits for the disk.
  static std::chrono::nanoseconds ProcessorTime() {
    timespec used{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return std::chrono::seconds{used.tv_sec} + std::chrono::nanoseconds{used.tv_nsec};
  }

  Service& service_;
  std::chrono::nanoseconds deciding_since_{};
};

// The jobs of this service's executor.
class Service::ExecutorJobs final : public KnownJobs {
 public:
  explicit ExecutorJobs(Service& service) : service_(service) {}
  Status Add(const SharedSubmission& submission) override {
    return service_.executor_->Add({submission, service_.DirectoryOf(submission->job.id)});
  }
  void Replace(const SharedSubmission& submission) override {
    service_.executor_->Replace(submission);
  }
  void Forget(core::JobId job) override { service_.executor_->Forget(job); }

 private:
  Service& service_;
};

// Checks against the devices of the executor and the queue of the engine.
class Service::EngineChecks final : public AdmissionChecks {
 public:
  explicit EngineChecks(const Service& service) : service_(service) {}
  // Devices that are away are expected back. While none is known yet, nobody can say what will fit.
  Status CheckDevices(const core::Job& job) const override {
    const core::Cluster cluster = core::WithAway(service_.executor_->cluster());
    return cluster.pools.empty() ? Status{} : plan::CheckJob(job, cluster);
  }
  Status CheckWithout(const core::Job& job, Time now,
                      const std::vector<core::JobId>& cancelled) const override {
    return engine::CheckAdmission(service_.engine_->state(), service_.options_.engine, job, now,
                                  cancelled);
  }
  Result<core::Job> CheckChange(const engine::JobChanged& change, Time now) const override {
    return engine::ChangedJob(service_.engine_->state(), service_.options_.engine, change, now);
  }

 private:
  const Service& service_;
};

// A function that ends the loop's wait, from any thread.
std::function<void()> Service::Waker() {
  return [this] { executor_->Wake(); };
}

Service::Service(ServiceOptions options, store::ServiceStore store, runtime::SignalFeed& feed,
                 runtime::GridClock& clock, platform::ProcessSignals& signals)
    : options_(std::move(options)),
      feed_(feed),
      clock_(clock),
      signals_(signals),
      store_(std::move(store)),
      events_(publisher_, [this] { return executor_->Now(); }),
      executor_jobs_(std::make_unique<ExecutorJobs>(*this)),
      checks_(std::make_unique<EngineChecks>(*this)),
      inbox_(Waker()),
      facts_(Waker()),
      holds_({store_, publisher_, dependencies_, facts_}),
      recurring_(platform::LocalUtcOffset,
                 [this](const std::string& text) { events_.Say(0, text); }),
      estimator_(
          store_.database(), [this] { return Pools(); }, options_.devices.profiles),
      sweeps_({.store = store_,
               .clock = clock_,
               .pue = options_.executor.cluster.sites.front().pue,
               .directory_of = [this](core::JobId job) { return DirectoryOf(job); },
               .live = [this](core::JobId job) { return FindLiveOrHeld(job); },
               .stop =
                   [this](core::JobId job, std::string why) {
                     facts_.PushAndWake(engine::JobCancelled{job, std::move(why)});
                   },
               .events = events_}),
      sweep_budgets_({.store = store_,
                      .clock = clock_,
                      .pue = options_.executor.cluster.sites.front().pue,
                      .sample_interval = options_.executor.tick,
                      .jobs = holds_,
                      .publisher = publisher_,
                      .events = events_}),
      sweep_intake_(store_, sweeps_, sweep_budgets_),
      accounting_(
          store_, events_,
          [this](core::JobId job, std::span<const core::LedgerRow> rows) {
            sweep_budgets_.Count(job, rows);
          },
          publisher_.counters()),
      settlements_({.store = store_,
                    .publisher = publisher_,
                    .feed = feed_,
                    .now = [this] { return executor_->Now(); },
                    .on_settled = [this](core::JobId job) { OnSettled(job); }}),
      pruner_({.store = store_,
               .events = events_,
               .now = [this] { return executor_->Now(); },
               .directory_of = [this](core::JobId job) { return DirectoryOf(job); }},
              options_.keep, options_.prune_every),
      outside_metering_({.accounting = accounting_,
                         .store = store_,
                         .feed = feed_,
                         .clock = clock_,
                         .pue = options_.executor.cluster.sites.front().pue,
                         .changed = [this] { OnOutsideFigures(); },
                         .complete =
                             [this](core::JobId job) {
                               settlements_.Add(job);
                               compare_again_ = true;
                             }}),
      device_inventory_(options_.devices, {store_, publisher_, events_, Waker()}),
      submission_intake_({.store = store_,
                          .publisher = publisher_,
                          .answers = answers_,
                          .facts = facts_,
                          .holds = holds_,
                          .dependencies = dependencies_,
                          .recurring = recurring_,
                          .estimator = estimator_,
                          .sweeps = sweep_intake_,
                          .jobs = *executor_jobs_,
                          .checks = *checks_}),
      change_intake_({.store = store_,
                      .publisher = publisher_,
                      .answers = answers_,
                      .holds = holds_,
                      .dependencies = dependencies_,
                      .sweeps = sweep_intake_,
                      .jobs = *executor_jobs_,
                      .checks = *checks_}),
      recurring_intake_({store_, publisher_, answers_, recurring_, *checks_}),
      intake_({.inbox = inbox_,
               .publisher = publisher_,
               .answers = answers_,
               .facts = facts_,
               .submissions = submission_intake_,
               .changes = change_intake_,
               .recurring = recurring_intake_,
               .change_device =
                   [this](const ChangeDevice& change) { return device_inventory_.Change(change); },
               .patience = [this] { return Patience(); },
               .own_due = [this] { return settlements_.NextAt(); },
               .is_last = options_.until_idle}),
      observer_(std::make_unique<Observer>(*this)),
      first_come_(options_.store, Waker()) {}

// Threads of the feed and of the snapshot wake the executor, so they are stopped first.
Service::~Service() {
  feed_.OnNews({});
  store_.AbandonSnapshot();
}

Result<std::unique_ptr<Service>> Service::Open(ServiceOptions options, runtime::SignalFeed& feed,
                                               runtime::GridClock& clock,
                                               platform::ProcessSignals& signals) {
  EBB_RETURN_IF_ERROR(
      platform::EnsureWritableDirectory(options.jobs_directory, platform::Readers::kOwner));
  store::StoreOptions store_options;
  store_options.numbers_file = options.jobs_directory / store::kNumbersFile;
  EBB_ASSIGN_OR_RETURN(store::ServiceStore store,
                       store::ServiceStore::Open(options.store, store_options));
  const core::GridClockSettings& of_clock = clock.settings();
  EBB_RETURN_IF_ERROR(store::ClaimClock(
      store, {of_clock.replayed, options.grid_start, of_clock.speed, of_clock.skip_waits}));
  auto jobs_lock = platform::FileLock::Take(options.jobs_directory / "lock");
  if (!jobs_lock) {
    jobs_lock.error().next =
        "another store keeps its jobs there: move this one to a directory of "
        "its own (--store DIRECTORY/ebb.db)";
    return Fail(jobs_lock.error());
  }
  std::unique_ptr<Service> service(
      new Service(std::move(options), std::move(store), feed, clock, signals));
  service->jobs_lock_ = *std::move(jobs_lock);
  EBB_RETURN_IF_ERROR(service->Recover());
  return service;
}

namespace {

std::string ClockJumpText(Duration by) {
  return (by > Duration::zero() ? "ahead by " : "back by ") +
         FormatDuration(std::chrono::round<std::chrono::seconds>(std::chrono::abs(by)));
}

}  // namespace

// The pools whose numbers attempts are stored with.
core::Cluster Service::Pools() const {
  return supervised_ ? supervised_->devices().pools() : executor_->cluster();
}

Status Service::MakeExecutor() {
  if (options_.make_executor) {
    ExecutorPorts ports;
    ports.before = engine_->state().cluster;
    ports.ask = [this](Request request) { return Ask(std::move(request)); };
    ports.view = [this] { return view(); };
    ports.show_budgets = [this](std::vector<BudgetView> budgets) {
      publisher_.SetBudgets(std::move(budgets));
    };
    ports.metering = &outside_metering_;
    EBB_ASSIGN_OR_RETURN(executor_, options_.make_executor(std::move(ports)));
  } else {
    EBB_RETURN_IF_ERROR(MakeSupervisedExecutor());
  }
  feed_.OnNews([this] { executor_->Wake(); });
  LearnOfDevices();
  publisher_.SetCluster(executor_->cluster());
  return {};
}

// Pools of an earlier life keep their numbers, because the engine remembers attempts by them.
Status Service::MakeSupervisedExecutor() {
  if (options_.machine_meters) {
    machine_watch_.emplace(options_.machine_meters(), options_.machine_interval);
    accounting_.ExpectMachine();
    options_.executor.idle_tick = options_.machine_settles_after;
    if (options_.devices.look)
      options_.devices.look = [look = options_.devices.look, heard = machine_watch_->OnLook()] {
        auto inventory = look();
        if (inventory) heard(*inventory);
        return inventory;
      };
  }
  local::SupervisedExecutorOptions& options = options_.executor;
  const core::Cluster& before = engine_->state().cluster;
  const core::Site site = options.cluster.sites.front();
  if (!options_.devices.look) local::KeepPools(before, options.cluster, options.gpus);
  options.refine = [this](core::Cluster& cluster) { core::Refine(cluster, experience_); };
  options.look_at_devices = [this] { device_inventory_.Follow(); };
  options.stored_before = [this](core::JobId job, int attempt) {
    return accounting_.StoredBefore(job, attempt);
  };
  options.end_is_stored = [this](core::JobId job, int attempt) {
    return accounting_.EndIsStored(job, attempt);
  };
  options.store = platform::AbsolutePath(options_.store).string();
  options.on_budget = [this](core::JobId job, const core::BudgetEvent& event, std::size_t heard) {
    accounting_.HeardOfBudget(job, heard);
    events_.Say(job, core::BudgetText(event));
    if (event.level == core::BudgetLevel::kReached) {
      const JobCard* card = publisher_.Find(job);
      publisher_.counters().AddBudgetReached(event, card ? card->submission->job.tier : "");
    }
    if (event.level == core::BudgetLevel::kReached && event.action == core::BudgetAction::kPause)
      holds_.Hold(job, core::BudgetText(event) + "; on hold, `ebb resume` continues it");
  };
  options.say = [this](core::JobId job, const std::string& what) { events_.Say(job, what); };
  options.on_tick = [this] {
    LookAtSweeps();
    TakeFigures();
    sweep_budgets_.Look(executor_->Running());
    if (std::chrono::steady_clock::now() >= follow_machine_at_)
      FollowMachine(options_.machine_settles_after);
    publisher_.Publish(executor_->Now());
  };
  options.on_clock_jump = [this](Duration by) {
    Log(by == Duration::zero()
            ? "the wall clock is back where it was: nothing has changed"
            : "the wall clock jumped " + ClockJumpText(by) + "; it is followed if it stays there");
  };
  auto supervised =
      std::make_unique<local::SupervisedExecutor>(options, feed_, clock_, signals_, accounting_);
  supervised_ = supervised.get();
  executor_ = std::move(supervised);
  return device_inventory_.Open(supervised_->devices(), site, before);
}

// Tells an event of the service, and writes it to the log of the machine too.
void Service::Log(const std::string& text) {
  events_.Say(0, text);
  options_.log(text);
}

void Service::Follow(const engine::ClockSet& set) {
  recurring_.FollowClock(set.to);
  if (set.to > set.from) pruner_.DistrustClock();
  Log("the wall clock was set " + ClockJumpText(set.to - set.from) + ", from " +
      FormatTime(set.from) + " to " + FormatTime(set.to) +
      ": what runs and what waits goes on by it");
}

// nullptr: the job has ended, or is not known.
const engine::LiveJob* Service::FindLiveOrHeld(core::JobId job) const {
  const engine::State& state = engine_->state();
  const engine::LiveJob* live = state.FindLive(job);
  return live ? live : state.FindHeld(job);
}

// True: the job was submitted as one that can be paused, and has shown that it loses its work.
bool Service::LosesWorkByPauses(const engine::LiveJob& live, const core::Submission& submission) {
  return submission.job.checkpointable && !submission.job.freeze && !live.job.checkpointable;
}

// If a pause lost the work of a job, its detail says so from then on.
void Service::SayLostWork(const engine::JobReport& report) {
  if (report.phase != engine::JobPhase::kStartFailed) return;
  const JobCard* card = publisher_.Find(report.job);
  const engine::LiveJob* live = FindLiveOrHeld(report.job);
  if (!card || !live || !LosesWorkByPauses(*live, *card->submission)) return;
  publisher_.SetDetail(report.job, report.detail);
  publisher_.Say(report.since, report.job,
                 "it is not paused again, as its work would be lost again: it has to write a "
                 "checkpoint on SIGTERM and end with exit code 75 (docs/training-program.md)");
}

Status Service::MakePlanThread() {
  EBB_ASSIGN_OR_RETURN(auto policy, plan::MakePolicy(options_.policy, options_.policy_options));
  plan_thread_ = std::make_unique<PlanThread>(PlanThread::Ports{
      std::move(policy), [this] { executor_->Wake(); },
      [this](auto wall) { return executor_->Now() + ToGrid(std::chrono::ceil<Duration>(wall)); },
      publisher_.counters()});
  return {};
}

// Looks up the programs of submissions, on the caller's thread, so that the loop never waits for a
// file system. Jobs of one list mostly run the same program, which is looked up once.
void Service::LookUp(std::span<Request> requests) const {
  std::optional<platform::ChildOptions> found;
  for (Request& request : requests) {
    auto* submit = std::get_if<Submit>(&request);
    if (!submit || submit->no_check) continue;
    const core::Submission& submission = submit->submission;
    if (found && !submission.command.empty() && submission.command.front() == found->argv.front() &&
        submission.working_directory == found->working_directory &&
        submission.environment == found->environment)
      continue;
    platform::ChildOptions child{submission.command, submission.environment};
    child.working_directory = submission.working_directory;
    Status status = platform::CheckStart(child);
    if (status) {
      found = std::move(child);
      continue;
    }
    submit->cannot_start = std::move(status.error());
    // `ebb sweep run` submits again when it is continued, so nothing has to be done at once.
    if (!options_.until_idle)
      submit->cannot_start->next +=
          (submit->cannot_start->next.empty() ? "" : "; ") +
          std::string("submit it with --no-check (no_check) where it appears later");
  }
}

// The loop -----------------------------------------------------------------------------------

Duration Service::ToGrid(Duration wall) const {
  const double speed = clock_.settings().replayed ? clock_.settings().speed : 1;
  return Duration{std::llround(static_cast<double>(wall.count()) * speed)};
}

Duration Service::Patience() const { return ToGrid(pace_.Left(DecisionPace::Clock::now())); }

// The view is published first, so that a client that gets its answer finds the job there.
void Service::OnStored() {
  publisher_.Publish(executor_->Now());
  answers_.OnStored();
  std::ignore = store_.ContinueSnapshot();
  const bool more_to_settle = settlements_.SettleSome();
  const bool more_to_prune = pruner_.PruneSome();
  if (more_to_settle || more_to_prune) executor_->Wake();
}

void Service::OnDecision(const engine::Decision& decision) {
  publisher_.FollowDecision(decision, *engine_,
                            [this](core::JobId job) { return dependencies_.WaitsFor(job); });
  SayDrain();
  options_.on_decision(decision);
  std::vector<core::JobId> ended;
  for (const engine::Explanation& explanation : decision.explanations) {
    if (!engine::HasEnded(explanation.stage)) continue;
    submission_intake_.OnEnded(explanation.job, explanation.stage == engine::Stage::kSucceeded,
                               engine_->state());
    executor_->Forget(explanation.job);
    options_.on_ended(explanation.job);
    ended.push_back(explanation.job);
  }
  // The last readings of other executors come after the end, and OutsideMetering settles then.
  if (supervised_)
    for (const core::JobId job : ended) settlements_.Add(job);
  compare_again_ = compare_again_ || !ended.empty();
  TakeFigures();
  for (const core::JobId job : ended) {
    accounting_.Forget(job);
    if (const JobCard* card = publisher_.Find(job)) estimator_.Forget(*card->submission);
  }
  OnStored();
  intake_.OnDecided(decision);
  ForgetEnded();
  publisher_.Publish(decision.at);
  if (std::exchange(compare_again_, false)) first_come_.Ask(view());
  // A snapshot cannot contain a plan in the making. One that fails is due again later.
  if (!engine_->question() && store_.SnapshotIsDue())
    std::ignore = store_.BeginSnapshot([this] { executor_->Wake(); });
}

// Tells whoever works on the machine that a drain begins, that nothing runs any more, and that the
// drain is over.
void Service::SayDrain() {
  const engine::State& state = engine_->state();
  if (state.drain != publisher_.drain()) {
    Log(state.drain ? DrainText(*state.drain) + "; what runs ends, and nothing starts"
                    : "the service no longer drains: jobs start again");
    publisher_.SetDrain(state.drain);
    is_drained_ = false;
  }
  if (!state.drain || is_drained_) return;
  is_drained_ = std::none_of(state.live.begin(), state.live.end(),
                             [](const auto& live) { return engine::HoldsDevices(*live); });
  if (is_drained_) Log("drained: nothing runs any more");
}

// Follows decisions that could not be stored when they were made and are stored now: neither the
// views nor jobs with predecessors have followed them.
void Service::FollowMissed() {
  engine::Decision missed;
  missed.at = engine_->state().now;
  view()->jobs.ForEach(0, [&](const JobCard& card) {
    const engine::Explanation* now = engine_->Explain(card.submission->job.id);
    if (now && *now != card.explanation) missed.explanations.push_back(*now);
    return true;
  });
  OnDecision(missed);
}

void Service::LookAtSweeps() {
  if (sweeps_.empty()) return;
  std::vector<core::JobId> running;
  for (const local::SupervisedFigures& program : executor_->Running())
    running.push_back(program.job);
  sweeps_.Look(running);
}

// False: a request to stop came before the store could be written again.
bool Service::WaitOutTrouble(const Error& error) {
  const Error trouble{ExitCode::kUnavailable, "cannot store anything: " + error.Message(), "",
                      "what runs goes on; try again once there is room"};
  inbox_.Close(trouble);
  intake_.OnTrouble(trouble);
  publisher_.SetTrouble(trouble.what);
  events_.Say(0, trouble.what);
  while (!executor_->stop_signal()) {
    publisher_.Publish(executor_->Now());
    // The reports are lost here, and the loop finds them again when it begins anew.
    std::ignore = executor_->WaitForEvents(executor_->Now() + options_.trouble_retry);
    if (!store_.Commit()) {
      ++publisher_.counters().store_write_errors;
      continue;
    }
    publisher_.SetTrouble("");
    events_.Say(0, "the store can be written again");
    FollowMissed();
    inbox_.Close(std::nullopt);
    return true;
  }
  return false;
}

bool Service::OnlyHeldAreLeft() const {
  const engine::State& state = engine_->state();
  return intake_.closed() && state.live.empty() && !state.held.empty();
}

Result<int> Service::Run() {
  TimedJournal journal(store_, publisher_.counters());
  const runtime::LoopPorts ports{
      *executor_,
      {&feed_},
      intake_,
      &journal,
      observer_.get(),
      [this] { return executor_->stop_signal().has_value() || OnlyHeldAreLeft(); },
      plan_thread_.get(),
      &executor_->heartbeat()};
  runtime::LoopOptions loop;
  loop.clock_tolerance = ToGrid(options_.executor.clock.tolerance);
  for (;;) {
    const auto result = runtime::Run(*engine_, ports, loop);
    if (result) break;
    if (store_.health().ok()) return Fail(result.error());
    if (!WaitOutTrouble(result.error())) break;
  }
  inbox_.Close(Error{ExitCode::kTryLater, "the service is stopping", "", "try again in a moment"});
  intake_.OnTrouble({ExitCode::kTryLater, "the service is stopping", "", ""});
  const int stopped_by = executor_->stop_signal().value_or(0);
  if (options_.pause_at_stop && supervised_) supervised_->PauseAll();
  FollowMachine(Duration{0});
  EBB_RETURN_IF_ERROR(store_.Snapshot());
  publisher_.Publish(executor_->Now());
  return stopped_by;
}

}  // namespace ebb::service
