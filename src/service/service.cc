#include "service/service.h"

#include <algorithm>

#include "base/text.h"
#include "plan/make_policy.h"
#include "platform/file.h"
#include "platform/program_lookup.h"
#include "runtime/run_loop.h"
#include "service/observer.h"
#include "service/planning/start_wishes.h"
#include "service/planning/timed.h"
#include "store/database/job_numbers.h"
#include "store/store_clock.h"

namespace ebb::service {

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
    ports.show_remark = [this](core::JobId job, const std::string& remark) {
      publisher_.SetRemark(job, remark);
    };
    ports.metering = &outside_metering_;
    EBB_ASSIGN_OR_RETURN(executor_, options_.make_executor(std::move(ports)));
  } else {
    EBB_RETURN_IF_ERROR(MakeSupervisedExecutor());
  }
  for (runtime::SignalFeed* feed : Feeds())
    if (feed) feed->OnNews([this] { executor_->Wake(); });
  LearnOfDevices();
  publisher_.SetCluster(executor_->cluster());
  return {};
}

// Tells an event of the service, and writes it to the log of the machine too.
void Service::Log(const std::string& text) {
  events_.Say(0, text);
  options_.log(text);
}

std::string Service::SourceOf(int site) const {
  const std::vector<core::Site> sites = executor_->cluster().sites;
  const std::string source = "the source of the carbon intensity";
  if (sites.size() < 2 || site >= std::ssize(sites)) return source;
  return source + " at site " + sites[static_cast<std::size_t>(site)].name;
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
// What a job would bring along to another site counts in the plan.
void Service::MeasureFiles(std::span<Request> requests) const {
  const local::OtherSites* const sites = options_.executor.other_sites;
  std::map<std::string, std::int64_t> bytes;  // by working folder
  for (Request& request : requests) {
    auto* submit = std::get_if<Submit>(&request);
    if (!submit || !sites) continue;
    const std::string& folder = submit->submission.working_directory;
    if (!bytes.contains(folder))
      bytes[folder] = static_cast<std::int64_t>(sites->BytesToBring(folder));
    submit->submission.job.home = options_.executor.cluster.sites.front().name;
    submit->submission.job.file_bytes = bytes[folder];
  }
}

void Service::LookUp(std::span<Request> requests) const {
  MeasureFiles(requests);
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

// By site of the cluster.
std::vector<runtime::SignalFeed*> Service::Feeds() const {
  return supervised_ ? supervised_->feeds() : std::vector{&feed_};
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
  if (supervised_ && !options_.sites.empty())
    supervised_->KeepStarts(StartsToKeep(engine_->state()));
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

// False: a request to stop came before the store could be written again.
bool Service::WaitOutTrouble(const Error& error) {
  const Error trouble{ExitCode::kUnavailable, "cannot store anything: " + error.Message(), "",
                      "what runs goes on; try again once there is room"};
  inbox_.Close(trouble);
  intake_.OnTrouble(trouble);
  publisher_.SetTrouble(trouble.what);
  Log(trouble.what);
  while (!executor_->stop_signal()) {
    publisher_.Publish(executor_->Now());
    // The reports are lost here, and the loop finds them again when it begins anew.
    std::ignore = executor_->WaitForEvents(executor_->Now() + options_.trouble_retry);
    if (!store_.Commit()) {
      ++publisher_.counters().store_write_errors;
      continue;
    }
    publisher_.SetTrouble("");
    Log("the store can be written again");
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
      Feeds(),
      intake_,
      &journal,
      observer_.get(),
      [this] { return executor_->stop_signal().has_value() || OnlyHeldAreLeft(); },
      plan_thread_.get(),
      &executor_->heartbeat(),
      options_.feed_of};
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
