#include "local/supervised_program.h"

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "base/units_text.h"
#include "local/files/job_folder.h"
#include "local/process/attempt_outcome.h"
#include "local/process/training_contract.h"
#include "local/supervisor/orphan.h"

namespace ebb::local {
namespace {

using engine::JobPhase;

// The search for processes that a killed supervisor left goes through all processes, so it is rare.
constexpr Duration kLookForProcesses{200};

// A program that is asked to pause before it has set up its handlers loses no work.
constexpr Duration kGettingReady{std::chrono::seconds{1}};

}  // namespace

SupervisedProgram::SupervisedProgram(LocalJob job, AttemptPlan plan,
                                     std::optional<platform::ProcessWatch> watch, Pue pue,
                                     runtime::SignalFeed& feed, const runtime::GridClock& clock,
                                     JobRecords& records, StoredBefore stored,
                                     runtime::ClockWatchOptions clock_watch)
    : job_(std::move(job)),
      plan_(std::move(plan)),
      paths_{job_.directory, plan_.attempt},
      watch_(std::move(watch)),
      clock_(clock),
      records_(records),
      stored_(std::move(stored.up_to)),
      tail_(paths_.energy()),
      accountant_(feed, clock, plan_.attempt, pue),
      watch_options_(clock_watch),
      budget_events_heard_(stored.budget_events),
      end_request_(ReadAsked(paths_)) {
  for (const core::BudgetEvent& event : ReadBudgetEvents(job_.directory)) Explain(event);
  if (!is_elsewhere() || !IsWatchedHere(job_.submission->budget)) return;
  JobBudget::Terms terms{job_.submission->budget, stored.used, job_.directory, plan_.attempt, pue};
  terms.budget.grace = plan_.grace;
  budget_.emplace(terms);
}

// The supervisor has asked the program to end; the event gives the reason.
void SupervisedProgram::Explain(const core::BudgetEvent& event) {
  const bool ends =
      event.level == core::BudgetLevel::kReached || event.level == core::BudgetLevel::kKilled;
  if (end_request_ || event.attempt != plan_.attempt || !ends) return;
  if (event.action == core::BudgetAction::kStop) end_request_ = EndRequest::kBudget;
  if (event.action == core::BudgetAction::kPause) end_request_ = EndRequest::kPause;
}

std::vector<core::BudgetEvent> SupervisedProgram::TakeBudgetEvents() {
  if (job_.submission->budget.empty()) return {};
  std::vector<core::BudgetEvent> events = ReadBudgetEvents(job_.directory);
  const std::size_t heard = std::min(budget_events_heard_, events.size());
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(heard));
  budget_events_heard_ = heard + events.size();
  for (const core::BudgetEvent& event : events) Explain(event);
  return events;
}

Duration SupervisedProgram::Ran() const {
  if (!is_elsewhere()) return clock_.wall().SinceBoot() - plan_.since_boot;
  const auto& header = tail_.header();
  return header ? std::max(clock_.wall().Now() - header->wall_begin, Duration::zero())
                : Duration::zero();
}

LiveFigures SupervisedProgram::figures() const {
  return {Ran(), accountant_.energy(), accountant_.emissions(), accountant_.power()};
}

std::vector<std::optional<Power>> SupervisedProgram::gpu_power() const {
  std::vector<std::optional<Power>> power;
  for (const std::string& gpu : plan_.gpus) power.push_back(accountant_.power_of("gpu:" + gpu));
  return power;
}

std::vector<std::optional<double>> SupervisedProgram::gpu_percent() const {
  std::vector<std::optional<double>> percent;
  for (const std::string& gpu : plan_.gpus) percent.push_back(tail_.utilisation_of("gpu:" + gpu));
  return percent;
}

// Stored data of an earlier life ends at the end of a reading, never inside one.
void SupervisedProgram::Account(std::vector<core::EnergyReading> readings) {
  std::erase_if(readings, [&](const core::EnergyReading& reading) {
    const auto stored = stored_.find(reading.device);
    return stored != stored_.end() && reading.wall.end <= stored->second;
  });
  Store(accountant_.Add(readings));
}

void SupervisedProgram::Store(std::vector<core::LedgerRow> rows) {
  unkept_.insert(unkept_.end(), std::make_move_iterator(rows.begin()),
                 std::make_move_iterator(rows.end()));
  if (unkept_.empty()) return;
  if (const Status kept = records_.Rows(job_.job().id, unkept_))
    unkept_.clear();
  else
    unkept_why_ = kept.error().Message();
}

// Readings of another machine are on its own clock since boot, by which nothing here can be
// checked.
std::optional<Duration> SupervisedProgram::SinceBoot() const {
  return is_elsewhere() ? std::nullopt : std::optional(clock_.wall().SinceBoot());
}

void SupervisedProgram::Watch(std::optional<platform::ProcessWatch> watch) {
  watch_ = std::move(watch);
  rest_ = Rest::kReadings;
  if (asked_at_ && watch_) watch_->SendSignal(SIGTERM);
}

// Follows changes of the clock: the supervisor measures by the clock as it was at the begin.
void SupervisedProgram::FollowClock() {
  const auto& header = tail_.header();
  if (HasEnded() || !header || header->since_boot == Duration::zero() || is_elsewhere()) return;
  if (!readings_clock_)
    readings_clock_.emplace(clock_.wall(), watch_options_, header->wall_begin, header->since_boot);
  if (const auto step = readings_clock_->TakeStep()) accountant_.FollowClock(step->to - step->from);
}

void SupervisedProgram::Tick() {
  FollowClock();
  Account(tail_.Read(SinceBoot()));
  WatchBudget();
}

// The readings of another site come late, if the connection breaks. The site ends the program once
// it is told to.
void SupervisedProgram::WatchBudget() {
  if (!budget_ || HasEnded() || !tail_.header() || !accountant_.measured_until()) return;
  const auto step =
      budget_->Look(BudgetSampleOf(accountant_, clock_, tail_.header()->wall_begin), clock_);
  if (step.order == runtime::BudgetOrder::kNone) return;
  const bool stops = job_.submission->budget.action == core::BudgetAction::kStop;
  AskToEnd(stops ? EndRequest::kBudget : EndRequest::kPause);
  if (step.order == runtime::BudgetOrder::kKill) Hurry();
}

bool SupervisedProgram::ProgramIsGone() const {
  if (HasEnded()) return true;
  const auto& header = tail_.header();
  if (!header || is_elsewhere()) return false;
  return !platform::Runs(header->program_pid, header->program_identity);
}

// A program that ended before the request ended by itself: the request must not explain it.
void SupervisedProgram::AskToEnd(EndRequest request) {
  if (!tail_.header()) Tick();
  if (ProgramIsGone()) return;
  // A follower reads the reason, so it must be on the disk even if it was not at first.
  const bool is_unwritten = is_elsewhere() && !ReadAsked(paths_);
  if (!end_request_ || request == EndRequest::kCancel || is_unwritten) {
    end_request_ = request;
    // On a full disk only this life of the service knows the reason.
    std::ignore = WriteAsked(paths_, request);
  }
  if (!asked_at_) asked_at_ = std::chrono::steady_clock::now();
  if (watch_) {
    watch_->SendSignal(SIGTERM);
    watch_->SendSignal(SIGCONT);  // somebody may have stopped the supervisor
  }
}

void SupervisedProgram::Hurry() const {
  if (watch_) watch_->SendSignal(SIGINT);
}

bool SupervisedProgram::IsFrozen() const {
  if (is_elsewhere()) return !HasEnded() && ReadSiteState(paths_).frozen;
  const auto& header = tail_.header();
  return header && platform::Runs(header->program_pid, header->program_identity) &&
         platform::IsStopped(header->program_pid);
}

void SupervisedProgram::Freeze(bool frozen) {
  if (watch_) watch_->SendSignal(frozen ? SIGUSR1 : SIGUSR2);
}

std::optional<std::string> SupervisedProgram::TakeTroubleThere() {
  const std::string now = HasEnded() ? "" : ReadSiteState(paths_).trouble;
  // The reason may change from one try to the next; that it cannot be reached is what people need.
  const bool changed = now.empty() != trouble_there_.empty();
  if (!changed) return std::nullopt;
  trouble_there_ = now;
  const std::string& site = plan_.place->site;
  return now.empty() ? "site " + site + " can be reached again"
                     : "site " + site + " cannot be reached (" + now +
                           "); if the job runs there, it goes on";
}

std::optional<std::string> SupervisedProgram::TakeTrouble() {
  if (is_elsewhere()) return TakeTroubleThere();
  if (orphan_) return orphan_->TakeTrouble();
  const bool overdue =
      asked_at_ && std::chrono::steady_clock::now() > *asked_at_ + plan_.grace + kKilledButRuns;
  if (!overdue || ProgramIsGone() || std::exchange(trouble_was_said_, true)) return std::nullopt;
  return RunsOnText({program_pid()});
}

SupervisedProgram::Rest SupervisedProgram::Settle() {
  Tick();
  if (tail_.has_more()) return rest_ = Rest::kReadings;
  if (!end_ && !orphan_) {
    auto end = ReadEnd(paths_, plan_.end_key);
    if (end)
      end_ = *std::move(end);
    else
      why_not_believed_ = end.error().Message();
  }
  if (NeedsFollower()) return rest_ = Rest::kFollower;
  if (!end_) {
    if (!orphan_) orphan_.emplace(EndingOfOrphan(tail_.header(), job_.directory, plan_.grace));
    if (!orphan_->Look()) return rest_ = Rest::kProcesses;
  }
  return rest_ = Rest::kNothing;
}

std::optional<Duration> SupervisedProgram::SettleAfter() const {
  if (!HasEnded()) return std::nullopt;
  const bool waits = rest_ == Rest::kProcesses || rest_ == Rest::kFollower;
  return waits ? kLookForProcesses : Duration::zero();
}

// A limit that was met counts, whether or not the supervisor lived to report the end.
engine::JobReport SupervisedProgram::ReportOf(const std::optional<AttemptEnd>& end) const {
  engine::JobReport report{plan_.job, plan_.attempt, JobPhase::kFailed, plan_.pool, {}, 0, ""};
  if (end) report.exit_code = end->status.code;
  if (end_request_ == EndRequest::kCancel) {
    report.phase = JobPhase::kCancelled;
  } else if (end && !end->started && is_elsewhere() && end_request_ == EndRequest::kPause) {
    report.phase = JobPhase::kPaused;  // its files were on their way: nothing is lost
  } else if (end && !end->started) {
    report.phase = PhaseOfNotStarted(end->status.code);
    report.machine_trouble = end->status.code == static_cast<int>(ExitCode::kTryLater);
    report.detail = end->detail;
  } else if (end && end->status.code == 0) {
    report.phase = JobPhase::kSucceeded;
  } else if (end_request_ == EndRequest::kTooLong) {
    report.detail = "ran longer than its limit of " + FormatDuration(*job_.submission->time_limit) +
                    " and was ended";
  } else if (end_request_ == EndRequest::kBudget) {
    report.detail = StoppedByText(job_.submission->budget);
  } else if (end) {
    ReportEnd(*end, report);
  } else {
    GoOn(report, why_not_believed_.empty()
                     ? "its supervisor was killed"
                     : "its supervisor was killed, and the end that is there is not believed (" +
                           why_not_believed_ + ")");
  }
  return report;
}

bool SupervisedProgram::LeftCheckpoint() const {
  const auto& header = tail_.header();
  return header && HasNewCheckpoint(job_.directory, header->wall_begin);
}

// For an end that is not the program's own: the job goes on from a checkpoint of this attempt.
// Without one its work is lost, which people should read.
void SupervisedProgram::GoOn(engine::JobReport& report, const std::string& how) const {
  const bool just_begun = end_ && end_->attempt.wall.length() < kGettingReady;
  const bool goes_on = job_.job().checkpointable && (LeftCheckpoint() || just_begun);
  report.phase = goes_on ? JobPhase::kPaused : JobPhase::kStartFailed;
  report.detail = how;
  if (goes_on) {
    report.detail += "; goes on from its last checkpoint";
    return;
  }
  if (!tail_.header()) {
    report.detail += "; it starts again";
    return;
  }
  const LiveFigures lost = figures();
  const Duration ran = end_ ? end_->attempt.wall.length() : lost.elapsed;
  if (job_.job().checkpointable)
    report.detail += ", and left no new checkpoint in EBB_CHECKPOINT_DIR";
  report.detail += "; the work of attempt " + std::to_string(plan_.attempt) + " is lost (" +
                   FormatDuration(std::chrono::round<std::chrono::seconds>(ran)) + ", " +
                   EnergyText(lost.energy) +
                   (lost.emissions.grams > 0 ? ", " + EmissionsText(lost.emissions) : "") + ")";
  report.detail += "; it starts again";
}

void SupervisedProgram::ReportEnd(const AttemptEnd& end, engine::JobReport& report) const {
  const bool checkpointable = job_.job().checkpointable;
  report.detail = HowItEnded(end.status);
  if (end.status.code == kPausedExitCode && !end.status.by_signal) {
    report.phase = JobPhase::kPaused;
    report.detail.clear();
  } else if (end_request_ == EndRequest::kPause && SignalThatEnded(end.status) && checkpointable) {
    GoOn(report, "asked to pause, it was " + report.detail + ", not with exit code " +
                     std::to_string(kPausedExitCode));
  } else if (end.from_outside && !end_request_) {
    GoOn(report, report.detail + ", from outside");
  } else if (const auto faults = Faults(); !faults.empty() && !end_request_) {
    // The program was not at fault: it goes on, or starts again, elsewhere.
    GoOn(report, faults.front().device + " failed: " + faults.front().what);
  }
}

AttemptResult SupervisedProgram::ResultOf(const std::optional<AttemptEnd>& end) const {
  AttemptResult result;
  if (end) {
    result = {end->attempt, end->warnings};
    if (end_request_ == EndRequest::kBudget && end->status.code != 0)
      result.attempt.outcome = core::AttemptOutcome::kStoppedByBudget;
  } else {
    result.attempt.number = plan_.attempt;
    result.attempt.outcome = end_request_ == EndRequest::kBudget
                                 ? core::AttemptOutcome::kStoppedByBudget
                                 : core::AttemptOutcome::kKilled;
    const Time begin = tail_.header() ? tail_.header()->wall_begin : clock_.wall().Now();
    result.attempt.wall = {begin, std::max(begin, accountant_.measured_until().value_or(begin))};
    result.warnings.push_back(
        "the supervisor of this attempt was killed: what the program used after the last sample "
        "is not known");
  }
  result.attempt.grid = accountant_.ToGrid(result.attempt.wall);
  return result;
}

engine::JobReport SupervisedProgram::TakeEnd(std::vector<std::string> warnings) {
  Store(accountant_.Flush());
  engine::JobReport report = ReportOf(end_);
  AttemptResult result = ResultOf(end_);
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  // Nobody asked for this end, so people should read of it.
  const bool unlike_wish = end_request_ == EndRequest::kPause && !report.detail.empty();
  const bool is_forged = !why_not_believed_.empty() && !report.detail.empty();
  if ((end_ && end_->from_outside && !end_request_) || unlike_wish || is_forged)
    result.warnings.push_back(report.detail);
  if (report.phase == JobPhase::kPaused && report.detail.empty() && plan_.attempt == 1 &&
      job_.job().checkpointable && !LeftCheckpoint())
    result.warnings.push_back(
        "it said that it paused (exit code 75), but there is no new checkpoint in "
        "EBB_CHECKPOINT_DIR: unless it keeps one elsewhere, it starts again from its beginning");
  if (tail_.damaged_lines() > 0)
    result.warnings.push_back(std::to_string(tail_.damaged_lines()) +
                              " damaged lines in its energy file were left out");
  if (tail_.disbelieved_lines() > 0)
    result.warnings.push_back(std::to_string(tail_.disbelieved_lines()) +
                              " lines in its energy file are not believed (" +
                              tail_.why_disbelieved() +
                              "): somebody else than its supervisor wrote there. They count "
                              "nothing, and its energy is not known for sure");
  if (tail_.was_cut())
    result.warnings.push_back(
        "its energy file was made shorter by somebody else than its supervisor: energy that had "
        "not been read by then is unknown");
  if (!unkept_.empty())
    result.warnings.push_back(std::to_string(unkept_.size()) +
                              " ledger rows could not be stored: " + unkept_why_);
  records_.End(plan_.job, result);
  if (end_ && end_->started && !end_->from_outside && !end_request_ && Faults().empty())
    use_ = DeviceUse{plan_.gpus, plan_.job, KindOf(*job_.submission), result.attempt.wall.length(),
                     report.phase == JobPhase::kFailed};
  return report;
}

std::vector<DeviceFault> SupervisedProgram::Faults() const {
  return plan_.gpus.empty() ? std::vector<DeviceFault>() : ReadDeviceFaults(paths_);
}

std::optional<core::PowerChoice> SupervisedProgram::TakePowerChoice() {
  const bool searches = plan_.power_cap && plan_.power_cap->automatic;
  if (power_choice_taken_ || !searches) return std::nullopt;
  for (const core::PowerChoice& choice : ReadPowerChoices(job_.directory)) {
    if (choice.attempt != plan_.attempt) continue;
    power_choice_taken_ = true;
    return choice;
  }
  return std::nullopt;
}

std::string KindOf(const core::Submission& submission) {
  if (submission.sweep > 0) return "sweep " + std::to_string(submission.sweep);
  if (!submission.recurring.empty()) return "recurring " + submission.recurring;
  const auto& command = submission.command;
  const auto words = std::min(command.size(), std::size_t{2});
  return Join({command.begin(), command.begin() + static_cast<std::ptrdiff_t>(words)}, " ");
}

}  // namespace ebb::local
