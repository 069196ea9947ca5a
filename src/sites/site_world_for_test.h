#pragma once
// A supervised executor whose only devices are at another site: a folder of this machine, which is
// reached by a program that stands in for ssh and runs the command that it gets in a shell, as sshd
// does.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "local/supervised_executor.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "sites/home/site_connection.h"
#include "sites/home/site_watch.h"
#include "sites/remote/kept_start.h"
#include "sites/remote/site_job.h"
#include "testing/executor_contract.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"

namespace ebb::sites {

using engine::JobPhase;

inline const Time kDay = *ParseTime("2023-05-01");
inline const std::string kPausable = "trap 'exit 75' TERM; while :; do sleep 0.02; done";

struct Records final : local::JobRecords {
  std::map<core::JobId, std::vector<core::LedgerRow>> rows;
  std::map<core::JobId, std::vector<local::AttemptResult>> ends;
  Status Rows(core::JobId job, std::span<const core::LedgerRow> more) override {
    rows[job].insert(rows[job].end(), more.begin(), more.end());
    return {};
  }
  void End(core::JobId job, const local::AttemptResult& result) override {
    ends[job].push_back(result);
  }
  local::StoredUpTo Stored(core::JobId job, int attempt) {
    local::StoredUpTo stored;
    for (const core::LedgerRow& row : rows[job])
      if (row.attempt == attempt) stored[row.device] = std::max(stored[row.device], row.wall.end);
    return stored;
  }
};

class SiteWorld {
 public:
  SiteWorld() {
    Write("ssh", "#!/bin/bash\n[ ! -e '" + (directory_ / "cut").string() +
                     "' ] || { echo 'No route to host' >&2; exit 255; }\n"
                     "echo $$ >> '" +
                     (directory_ / "connections").string() +
                     "'\n"
                     "while [ \"$1\" != -- ]; do shift; done\nshift 2\n"
                     "export EBB_SITE_FOR_TEST='" +
                     state().string() + "'\nexec bash -c \"$*\"\n");
    ::chmod((directory_ / "ssh").c_str(), 0755);
    Restart();
  }
  ~SiteWorld() {
    Reconnect();
    for (const core::Submission& submission : jobs_) {
      const core::JobId job = submission.job.id;
      std::ignore = executor_->Execute(engine::CancelJob{job, local::LastAttempt(FolderOf(job))});
    }
    const Time deadline = executor_->Now() + std::chrono::seconds{10};
    while (!executor_->Running().empty() && executor_->Now() < deadline)
      std::ignore = executor_->WaitForEvents(executor_->Now() + Duration{50});
    executor_.reset();
  }

  runtime::Executor& executor() { return *executor_; }
  local::SupervisedExecutor& local() { return *executor_; }
  Duration patience() { return std::chrono::seconds{60}; }
  Records& records() { return records_; }
  const std::vector<std::string>& said() const { return said_; }
  std::filesystem::path state() const { return directory_ / "state"; }
  std::filesystem::path FolderOf(core::JobId job) const {
    return directory_ / "jobs" / std::to_string(job);
  }
  std::filesystem::path WorkOf(core::JobId job) const {
    return directory_ / "work" / std::to_string(job);
  }
  std::filesystem::path Directory() const { return directory_; }
  local::AttemptPaths PathsOf(core::JobId job, int attempt = 1) const {
    return {FolderOf(job), attempt};
  }
  // The folder of a job's run at the site.
  std::filesystem::path RunThere(core::JobId job) const {
    return RunFolderOn(state().string(), {"service", job, 0});
  }

  core::JobId AddShell(const std::string& script, const core::Budget& budget = {}) {
    return AddCommand({"bash", "-c", script}, budget);
  }
  core::JobId AddCommand(std::vector<std::string> command, const core::Budget& budget = {}) {
    core::Submission submission;
    submission.budget = budget;
    core::Job& job = submission.job;
    job.id = static_cast<core::JobId>(jobs_.size()) + 1;
    job.name = "job-" + std::to_string(job.id);
    job.duration = Duration{1000};
    job.submitted = kDay;
    job.start_by = kDay + std::chrono::hours{24};
    job.checkpointable = true;
    submission.command = std::move(command);
    submission.working_directory = WorkOf(job.id);
    std::filesystem::create_directories(submission.working_directory);
    jobs_.push_back(submission);
    EXPECT_TRUE(executor_->Add(LocalJobOf(submission)));
    return job.id;
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

  // Has the site keep the start of the first attempt, and waits until it does so.
  void KeepStart(core::JobId job, Duration latest) {
    const Time by = executor_->Now() + latest;
    executor_->KeepStarts({{job, 1, 0, by, by}});
    const local::AttemptPaths there{RunThere(job), 1};
    WaitFor([&] {
      const auto kept = ReadKeptStart(there);
      return kept && kept->state != KeptState::kTakenBack &&
             kept->order.latest <= wall_.Now() + latest;
    });
  }

  // From now on no connection can be made, and those that exist break.
  void Cut() {
    Write("cut", "");
    BreakConnections();
  }
  void Reconnect() {
    std::error_code ignored;
    std::filesystem::remove(directory_ / "cut", ignored);
  }
  void BreakConnections() {
    std::ifstream file(directory_ / "connections");
    for (pid_t pid = 0; file >> pid;) ::kill(pid, SIGKILL);
    Write("connections", "");
  }
  // Acts as if the service had been killed: followers go on, and a new service finds them.
  void Restart() {
    executor_.reset();
    SiteTerms terms;
    terms.name = "norway";
    terms.reach = *SshCommand((directory_ / "ssh").string(), "gpu.example.no", EBB_SITE_FOR_TEST);
    terms.slots = 2;
    SiteWatch::Options watch;
    watch.service = "service";
    watch.version = "test";
    watch.every = watch.every_in_trouble = std::chrono::milliseconds{100};
    watch.jobs = watch.proof = directory_ / "jobs";
    watch.prune_every = Duration{100};
    watch_ = std::make_unique<SiteWatch>(std::vector{terms}, watch);
    local::SupervisedExecutorOptions options;
    options.cluster.sites = {{"here", "DE", Pue{1}}};
    options.tick = Duration{20};
    options.grace = std::chrono::seconds{1};
    options.other_sites = watch_.get();
    options.supervisor_program = EBB_SITE_FOR_TEST;
    options.say = [this](core::JobId, const std::string& what) { said_.push_back(what); };
    options.stored_before = [this](core::JobId job, int attempt) {
      return local::StoredBefore{records_.Stored(job, attempt), {}, 0};
    };
    executor_ =
        std::make_unique<local::SupervisedExecutor>(options, feed_, clock_, signals_, records_);
    executor_->UseSites({{"norway", "NO", Pue{2}}}, {&clean_});
    for (int i = 0; i < 600 && executor_->cluster().pools.empty(); ++i)
      std::ignore = executor_->WaitForEvents(executor_->Now() + Duration{50});
    EXPECT_EQ(executor_->cluster().pools.size(), 1U);
    for (const core::Submission& job : jobs_) EXPECT_TRUE(executor_->Add(LocalJobOf(job)));
  }
  engine::JobReport WaitUntil(core::JobId job, JobPhase phase) {
    const Time deadline = executor_->Now() + patience();
    while (executor_->Now() < deadline) {
      const auto reports = executor_->WaitForEvents(executor_->Now() + Duration{100});
      for (const engine::JobReport& report : *reports)
        if (report.job == job && report.phase == phase) return report;
    }
    ADD_FAILURE() << "phase " << static_cast<int>(phase) << " did not come";
    return {};
  }
  // Waits until a condition holds, and follows what runs meanwhile.
  void WaitFor(const std::function<bool()>& holds) {
    for (int i = 0; i < 1200 && !holds(); ++i)
      std::ignore = executor_->WaitForEvents(executor_->Now() + Duration{50});
    EXPECT_TRUE(holds());
  }
  void Write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }

 private:
  local::LocalJob LocalJobOf(const core::Submission& submission) const {
    return {std::make_shared<const core::Submission>(submission), FolderOf(submission.job.id)};
  }

  const std::filesystem::path directory_ = ScratchDirectory("sites");
  platform::ProcessSignals signals_;
  platform::SystemClock wall_{signals_};
  runtime::GridClock clock_{wall_, {true, kDay, 1, false}};
  testing::FakeFeed feed_{kDay, {360, 100}};
  testing::FakeFeed clean_{kDay, {30, 30}};
  Records records_;
  std::vector<core::Submission> jobs_;
  std::vector<std::string> said_;
  std::unique_ptr<SiteWatch> watch_;
  std::unique_ptr<local::SupervisedExecutor> executor_;
};

}  // namespace ebb::sites
