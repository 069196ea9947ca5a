#pragma once
// A supervised executor with real supervisors and programs in an empty directory.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "local/supervised_executor.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "testing/executor_contract.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"
#include "testing/settable_clock.h"

namespace ebb::local {

using engine::JobPhase;

inline const Time kDay = *ParseTime("2023-05-01");
inline const std::string kPausable = "trap 'exit 75' TERM; while :; do sleep 0.02; done";

struct Records final : JobRecords {
  std::map<core::JobId, std::vector<core::LedgerRow>> rows;
  std::map<core::JobId, std::vector<AttemptResult>> ends;
  Status Rows(core::JobId job, std::span<const core::LedgerRow> more) override {
    rows[job].insert(rows[job].end(), more.begin(), more.end());
    return {};
  }
  void End(core::JobId job, const AttemptResult& result) override { ends[job].push_back(result); }
  StoredUpTo Stored(core::JobId job, int attempt) {
    StoredUpTo stored;
    for (const core::LedgerRow& row : rows[job])
      if (row.attempt == attempt) stored[row.device] = std::max(stored[row.device], row.wall.end);
    return stored;
  }
};

class SupervisedWorld {
 public:
  SupervisedWorld() { Restart(); }
  ~SupervisedWorld() {
    for (const core::Submission& submission : jobs_) {
      const core::JobId job = submission.job.id;
      std::ignore = executor_->Execute(engine::CancelJob{job, LastAttempt(PathsOf(job).directory)});
    }
    const Time deadline = executor_->Now() + std::chrono::seconds{5};
    while (!executor_->Running().empty() && executor_->Now() < deadline)
      std::ignore = executor_->WaitForEvents(deadline);
    executor_.reset();
  }

  runtime::Executor& executor() { return *executor_; }
  SupervisedExecutor& local() { return *executor_; }
  Duration patience() { return std::chrono::seconds{20}; }
  Records& records() { return records_; }
  AttemptPaths PathsOf(core::JobId job, int attempt = 1) const {
    return {directory_ / std::to_string(job), attempt};
  }

  core::JobId AddCommand(std::vector<std::string> command, bool checkpointable = true) {
    core::Submission submission;
    core::Job& job = submission.job;
    job.id = static_cast<core::JobId>(jobs_.size()) + 1;
    job.name = "job-" + std::to_string(job.id);
    job.duration = Duration{1000};
    job.submitted = kDay;
    job.checkpointable = checkpointable;
    job.freeze = freeze_;
    submission.command = std::move(command);
    submission.working_directory = PathsOf(job.id).directory;
    submission.environment = {{"COLOUR", "green"}};
    std::filesystem::create_directories(submission.working_directory);
    jobs_.push_back(submission);
    EXPECT_TRUE(executor_->Add(LocalJobOf(submission)));
    return job.id;
  }
  // The limit takes effect with the next start or restart.
  void Limit(core::JobId job, core::Budget budget) {
    jobs_[static_cast<std::size_t>(job - 1)].budget = budget;
    Restart();
  }
  void LimitTime(core::JobId job, Duration limit) {
    jobs_[static_cast<std::size_t>(job - 1)].time_limit = limit;
    Restart();
  }
  testing::SettableClock& wall() { return wall_; }
  int ticks() const { return ticks_; }
  const std::vector<Duration>& clock_jumps() const { return clock_jumps_; }
  const std::vector<core::BudgetEvent>& budget_events() const { return budget_events_; }
  // Gives the number to another job in the next life, as a store from a backup may.
  void Replace(core::JobId job) {
    jobs_[static_cast<std::size_t>(job - 1)].identity = 7;
    Restart();
  }
  // Makes the next life forget measurements and ends.
  void ForgetWhatIsStored() {
    records_ = {};
    knows_ends_ = false;
    Restart();
  }
  // Adds a job without checkpoints, which is stopped where it is.
  core::JobId AddFreezable(const std::string& script) {
    freeze_ = true;
    const core::JobId job = AddShell(script, false);
    freeze_ = false;
    return job;
  }
  core::JobId AddShell(const std::string& script, bool checkpointable = true) {
    return AddCommand({"bash", "-c", script}, checkpointable);
  }
  core::JobId Add(testing::JobKind kind) {
    switch (kind) {
      case testing::JobKind::kShort:
        return AddShell("sleep 0.05");
      case testing::JobKind::kLong:
        return AddShell(kPausable);
      case testing::JobKind::kFailing:
        return AddShell("exit 3");
      case testing::JobKind::kUnstartable:
        break;
    }
    return AddCommand({"no-such-program-anywhere"});
  }

  // Takes effect in the next life.
  void SetGpus(std::vector<std::string> names) { gpus_ = std::move(names); }
  void KillService() { executor_.reset(); }
  // Acts as if the service had been killed: programs go on, and a new service finds them.
  void Restart() {
    executor_.reset();
    SupervisedExecutorOptions options;
    options.cluster.sites = {{"here", "DE", Pue{1}}};
    options.cluster.pools = {{"cpu", 0, 2, 1, 1, Power{0}}};
    if (!gpus_.empty()) {
      options.cluster.pools[0].count = static_cast<int>(gpus_.size());
      options.gpus = {gpus_};
    }
    options.tick = Duration{20};
    options.clock = {Duration{2000}, Duration{50}};
    options.on_tick = [this] { ++ticks_; };
    options.on_clock_jump = [this](Duration by) { clock_jumps_.push_back(by); };
    options.grace = grace_;
    options.metering = metering_;
    options.say = [this](core::JobId, const std::string& what) { said_.push_back(what); };
    options.supervisor = {"supervisor_for_test"};
    options.supervisor_program = EBB_SUPERVISOR_FOR_TEST;
    options.stored_before = [this](core::JobId job, int attempt) {
      return StoredBefore{records_.Stored(job, attempt), core::UseOf(records_.rows[job]),
                          budget_events_heard_};
    };
    options.end_is_stored = [this](core::JobId, int) { return knows_ends_; };
    options.on_budget = [this](core::JobId, const core::BudgetEvent& event, std::size_t heard) {
      budget_events_.push_back(event);
      budget_events_heard_ = heard;
    };
    executor_ = std::make_unique<SupervisedExecutor>(options, feed_, clock_, signals_, records_);
    for (const core::Submission& job : jobs_) EXPECT_TRUE(executor_->Add(LocalJobOf(job)));
  }

  engine::JobReport WaitUntil(core::JobId job, JobPhase phase) {
    const Time deadline = executor_->Now() + patience();
    while (executor_->Now() < deadline) {
      const auto reports = executor_->WaitForEvents(deadline);
      for (const engine::JobReport& report : *reports)
        if (report.job == job && report.phase == phase) return report;
    }
    ADD_FAILURE() << "phase " << static_cast<int>(phase) << " did not come";
    return {};
  }
  // Energy that the supervisor measured, whether or not anybody listened.
  std::int64_t MeasuredMicrojoules(core::JobId job) {
    std::int64_t sum = 0;
    EnergyTail tail(PathsOf(job).energy());
    do {
      for (const core::EnergyReading& reading : tail.Read()) sum += reading.energy.microjoules();
    } while (tail.has_more());
    return sum;
  }
  // Waits until the supervisor is gone.
  void WaitForSupervisor(core::JobId job, int attempt = 1) {
    for (int i = 0; i < 2000 && platform::FileLock::IsHeld(PathsOf(job, attempt).lock()); ++i)
      std::this_thread::sleep_for(Duration{10});
  }
  // Waits until the program has begun, and returns its process.
  int WaitForProgram() {
    for (int i = 0; i < 2000; ++i) {
      const auto running = executor_->Running();
      if (!running.empty() && running[0].program_pid > 0) return running[0].program_pid;
      std::ignore = executor_->WaitForEvents(executor_->Now() + Duration{10});
    }
    ADD_FAILURE() << "no program runs";
    return 0;
  }
  // Waits until the file is in the job's directory, and takes in readings meanwhile.
  void WaitForFile(core::JobId job, const char* file) {
    for (int i = 0; i < 2000 && !std::filesystem::exists(PathsOf(job).directory / file); ++i)
      std::ignore = executor_->WaitForEvents(executor_->Now() + Duration{10});
    EXPECT_TRUE(std::filesystem::exists(PathsOf(job).directory / file)) << file;
  }
  // Waits until a file of the job's directory has text, and returns the number in it.
  pid_t WaitForPidIn(core::JobId job, const char* file) {
    for (int i = 0; i < 2000; ++i) {
      const auto text = platform::ReadFile(PathsOf(job).directory / file);
      if (text && text->ends_with('\n')) return static_cast<pid_t>(std::stol(*text));
      std::ignore = executor_->WaitForEvents(executor_->Now() + Duration{10});
    }
    ADD_FAILURE() << file << " was not written";
    return 0;
  }
  // From the next restart on no control group is used, as on most machines.
  void ForbidControlGroups() { metering_["no-control-group"] = ""; }
  void SetGrace(Duration grace) { grace_ = grace; }
  const std::vector<std::string>& said() const { return said_; }

 private:
  LocalJob LocalJobOf(const core::Submission& submission) const {
    return {std::make_shared<const core::Submission>(submission),
            PathsOf(submission.job.id).directory};
  }

  platform::ProcessSignals signals_;
  platform::SystemClock system_clock_{signals_};
  testing::SettableClock wall_{system_clock_};
  int ticks_ = 0;
  std::vector<Duration> clock_jumps_;
  runtime::GridClock clock_{wall_, {true, kDay, 1, false}};
  testing::FakeFeed feed_{kDay, {360, 100}};
  Records records_;
  const std::filesystem::path directory_ = ScratchDirectory("supervised");
  std::vector<core::BudgetEvent> budget_events_;
  std::size_t budget_events_heard_ = 0;
  bool knows_ends_ = true;
  std::vector<core::Submission> jobs_;
  std::vector<std::string> gpus_;
  bool freeze_ = false;
  Duration grace_{std::chrono::seconds{1}};
  std::map<std::string, std::string> metering_;
  std::vector<std::string> said_;
  std::unique_ptr<SupervisedExecutor> executor_;
};

}  // namespace ebb::local
