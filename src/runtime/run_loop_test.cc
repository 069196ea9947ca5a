#include "runtime/run_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>

#include "plan/make_policy.h"
#include "testing/builders.h"
#include "testing/fake_feed.h"

namespace ebb::runtime {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

const Time kNow = *ParseTime("2023-05-01");

// An executor whose jobs run for an hour and which notes every call. (The simulated executor is in
// a room above this one.)
class NotingExecutor final : public Executor {
 public:
  explicit NotingExecutor(std::vector<std::string>& notes) : notes_(notes) {}
  std::string name() const override { return "noting"; }
  Time Now() const override { return now_; }
  core::Cluster cluster() const override {
    core::Cluster cluster = testing::ClusterOf(devices_);
    cluster.sites.insert(cluster.sites.end(), further_sites_.begin(), further_sites_.end());
    return cluster;
  }
  void AddSite(core::Site site) { further_sites_.push_back(std::move(site)); }
  void HasDevices(int devices) { devices_ = devices; }
  Result<std::vector<engine::JobReport>> Observe() override {
    notes_.push_back("observe");
    return std::vector<engine::JobReport>{};
  }
  Status Execute(const engine::Command& command) override {
    const auto& start = std::get<engine::StartJob>(command);
    notes_.push_back("start " + std::to_string(start.job));
    on_start_();
    if (refuse_next_ > 0) {
      --refuse_next_;
      return Fail({ExitCode::kUnavailable, "away", "executor", ""});
    }
    due_.push_back({start.job, start.attempt, engine::JobPhase::kRunning, 0, now_, 0, ""});
    due_.push_back(
        {start.job, start.attempt, engine::JobPhase::kSucceeded, 0, now_ + hours{1}, 0, ""});
    return {};
  }
  std::optional<engine::ClockSet> TakeClockSet() override {
    const auto set = std::exchange(set_, std::nullopt);
    if (set) now_ = set->to;
    return set;
  }
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override {
    waits_.push_back(deadline);
    if (set_at_ && deadline >= *set_at_) {
      now_ = *std::exchange(set_at_, std::nullopt);
      set_ = {now_, set_to_};
      return std::vector<engine::JobReport>{};
    }
    if (due_.empty() || due_.front().since > deadline) {
      now_ = std::max(now_, deadline);
      return std::vector<engine::JobReport>{};
    }
    now_ = std::max(now_, due_.front().since);
    const engine::JobReport report = due_.front();
    due_.pop_front();
    return std::vector{report};
  }
  std::vector<engine::JobReport> TakeEarly() override { return std::exchange(early_, {}); }
  void Forget(core::JobId job) override { notes_.push_back("forget " + std::to_string(job)); }

  /// The job has been running since before this life, and ends in an hour.
  void RunsAlready(core::JobId job) {
    early_.push_back({job, 1, engine::JobPhase::kRunning, 0, now_, 0, ""});
    due_.push_back({job, 1, engine::JobPhase::kSucceeded, 0, now_ + hours{1}, 0, ""});
  }
  /// The clock is set to `to` when it shows `at`.
  void SetClock(Time at, Time to) {
    set_at_ = at;
    set_to_ = to;
  }
  void GoTo(Time now) { now_ = now; }
  void RefuseNext(int starts) { refuse_next_ = starts; }
  void OnStart(std::function<void()> on_start) { on_start_ = std::move(on_start); }
  const std::vector<Time>& waits() const { return waits_; }

 private:
  std::vector<std::string>& notes_;
  Time now_ = kNow;
  std::deque<engine::JobReport> due_;
  std::vector<engine::JobReport> early_;
  std::vector<Time> waits_;
  std::optional<Time> set_at_;
  Time set_to_{};
  std::optional<engine::ClockSet> set_;
  int refuse_next_ = 0;
  int devices_ = 1;
  std::vector<core::Site> further_sites_;
  std::function<void()> on_start_ = [] {};
};

class NotingJournal final : public Journal {
 public:
  explicit NotingJournal(std::vector<std::string>& notes) : notes_(notes) {}
  Status Append(const JournalRecord& record) override {
    const auto* decision = std::get_if<engine::Decision>(&record);
    if (!decision || decision->commands.empty()) return {};
    notes_.push_back("store decision");
    if (end_after_ == 0) return {};
    --end_after_;
    return Fail({ExitCode::kUnavailable, "is the end of this life", "journal", ""});
  }
  /// This number of lives end between a decision and its commands.
  void EndLivesAfterDeciding(int lives) { end_after_ = lives; }
  Status Commit() override {
    notes_.push_back("store");
    return {};
  }

 private:
  std::vector<std::string>& notes_;
  int end_after_ = 0;
};

class LoopTest : public ::testing::Test {
 protected:
  Result<LoopResult> RunJobs(const std::string& policy, std::vector<core::Job> jobs) {
    engine_ = std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy(policy, {}));
    return GoOn(std::move(jobs));
  }
  // Starts another life with the state that the engine remembers.
  Result<LoopResult> GoOn(std::vector<core::Job> jobs = {}) {
    auto submissions = SubmissionList::OfJobs(std::move(jobs));
    LoopPorts ports{executor_, {&feed_}, submissions, &journal_};
    ports.interrupted = [this] { return interrupted_; };
    return runtime::Run(*engine_, ports, {});
  }

  std::vector<std::string> notes_;
  NotingExecutor executor_{notes_};
  NotingJournal journal_{notes_};
  testing::FakeFeed feed_{kNow - hours{24}, [] {
                            std::vector<double> values(24 * 4, 400.0);
                            for (std::size_t i = 29; i < 33; ++i) values[i] = 100;
                            return values;
                          }()};
  std::unique_ptr<engine::Engine> engine_;
  bool interrupted_ = false;
};

TEST_F(LoopTest, StoresADecisionBeforeItCarriesItOutAndForgetsWhatEnded) {
  ASSERT_TRUE(RunJobs("run-now", {AJob(1).Submitted(kNow)}));
  EXPECT_EQ(notes_, (std::vector<std::string>{"observe", "store decision", "start 1", "forget 1",
                                              "observe"}));
}

class NotingObserver final : public LoopObserver {
 public:
  explicit NotingObserver(std::vector<std::string>& notes) : notes_(notes) {}
  void OnDecision(const engine::Decision& decision, const engine::Engine&) override {
    if (!decision.commands.empty()) notes_.push_back("tell decision");
  }
  void OnCommandFailed(const engine::Command&, const Error& why) override {
    notes_.push_back("tell: " + why.what);
  }

 private:
  std::vector<std::string>& notes_;
};

TEST_F(LoopTest, WhatHasToBeDoneIsDoneBeforeListenersHearOfItButInTheFirstDecision) {
  NotingObserver observer{notes_};
  engine_ = std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
  auto submissions =
      SubmissionList::OfJobs({AJob(1).Submitted(kNow), AJob(2).Submitted(kNow + hours{2})});
  LoopPorts ports{executor_, {&feed_}, submissions, nullptr, &observer};
  executor_.RefuseNext(1);
  ASSERT_TRUE(runtime::Run(*engine_, ports, {}));
  std::erase(notes_, "observe");
  EXPECT_EQ(notes_, (std::vector<std::string>{"tell decision", "start 1", "tell: away", "start 1",
                                              "tell decision", "forget 1", "start 2",
                                              "tell decision", "forget 2"}));
}

// Jobs submitted one after the other, minutes apart, whose decision may wait for half an hour.
class PatientSubmissions final : public Submissions {
 public:
  explicit PatientSubmissions(std::vector<core::Job> jobs)
      : list_(SubmissionList::OfJobs(std::move(jobs))) {}
  Time NextAt() const override { return list_.NextAt(); }
  std::vector<Submitted> Take(Time now) override {
    if (!first_) first_ = now;
    now_ = now;
    return list_.Take(now);
  }
  Duration Patience() const override {
    return first_ ? std::max(Duration::zero(), *first_ + minutes{30} - now_) : Duration::zero();
  }
  bool closed() const override { return list_.closed(); }

 private:
  SubmissionList list_;
  std::optional<Time> first_;
  Time now_{};
};

TEST_F(LoopTest, PatientSubmissionsAreStoredAndDecidedUponTogether) {
  engine_ = std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
  PatientSubmissions submissions({AJob(1).Submitted(kNow + minutes{20}),
                                  AJob(2).Submitted(kNow + minutes{25}),
                                  AJob(3).Submitted(kNow + minutes{50})});
  LoopPorts ports{executor_, {&feed_}, submissions, &journal_};
  const auto result = runtime::Run(*engine_, ports, {});
  ASSERT_TRUE(result);
  EXPECT_EQ(engine_->state().ended.size(), 3u);
  // Nothing else happens in between. The first two jobs are stored one by one. They start together
  // with the third, which comes at the end of their patience.
  EXPECT_EQ(std::count(notes_.begin(), notes_.end(), "store"), 2);
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow + minutes{50});
}

// Hands out a limited number of submissions at a time, as the service's intake does.
class SubmissionsInRounds final : public Submissions {
 public:
  explicit SubmissionsInRounds(std::deque<core::Job> jobs) : jobs_(std::move(jobs)) {}
  Time NextAt() const override { return jobs_.empty() ? Time::max() : Time::min(); }
  std::vector<Submitted> Take(Time now) override {
    if (jobs_.empty() || std::exchange(pauses_, !pauses_)) return {};
    engine::Event event{now, engine::JobSubmitted{jobs_.front()}};
    jobs_.pop_front();
    return {{std::move(event), 0}};
  }
  bool closed() const override { return jobs_.empty(); }

 private:
  std::deque<core::Job> jobs_;
  bool pauses_ = false;
};

// Gives each event a ticket, with gaps between the numbers, and notes the answers.
class TicketedSubmissions final : public Submissions {
 public:
  explicit TicketedSubmissions(std::vector<Submitted> submitted)
      : submitted_(std::move(submitted)) {}
  Time NextAt() const override { return submitted_.empty() ? Time::max() : Time::min(); }
  std::vector<Submitted> Take(Time) override { return std::exchange(submitted_, {}); }
  void OnTaken(Ticket ticket, const engine::Event&) override { taken_.push_back(ticket); }
  void OnRefused(Ticket ticket, const engine::Event&, const Error&) override {
    refused_.push_back(ticket);
  }
  bool closed() const override { return submitted_.empty(); }

  std::vector<Ticket> taken_, refused_;

 private:
  std::vector<Submitted> submitted_;
};

TEST_F(LoopTest, EachAnswerCarriesTheTicketOfItsEvent) {
  engine_ = std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
  const engine::Event unknown{kNow, engine::JobCancelled{77}};
  TicketedSubmissions submissions({{{kNow, engine::JobSubmitted{AJob(1).Submitted(kNow)}}, 30},
                                   {unknown, 0},
                                   {unknown, 10},
                                   {{kNow, engine::JobSubmitted{AJob(2).Submitted(kNow)}}, 20}});
  LoopPorts ports{executor_, {&feed_}, submissions};
  ASSERT_TRUE(runtime::Run(*engine_, ports, {}));
  EXPECT_EQ(submissions.taken_, (std::vector<Ticket>{30, 20}));
  EXPECT_EQ(submissions.refused_, (std::vector<Ticket>{10}));
}

// Worker clusters are known only once the executor runs, and more may come.
TEST_F(LoopTest, ASiteThatComesLaterGetsAFeedOfItsOwn) {
  engine_ = std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
  auto submissions = SubmissionList::OfJobs({AJob(1).Submitted(kNow)});
  testing::FakeFeed norway(kNow, {30, 30, 30}), poland(kNow, {700, 700, 700});
  executor_.AddSite({"norway", "NO", {}});
  executor_.OnStart([this] { executor_.AddSite({"poland", "PL", {}}); });
  std::vector<std::string> asked;
  LoopPorts ports{executor_, {&feed_}, submissions};
  ports.feed_of = [&](const core::Site& site) -> SignalFeed* {
    asked.push_back(site.zone);
    return site.zone == "NO" ? &norway : &poland;
  };
  ASSERT_TRUE(runtime::Run(*engine_, ports, {}));
  EXPECT_EQ(asked, (std::vector<std::string>{"NO", "PL"})) << "each once";
  ASSERT_EQ(engine_->state().signals.size(), 3u);
  EXPECT_EQ(engine_->state().signals[1].view.Current()->intensity.g_per_kwh, 30);
}

TEST_F(LoopTest, WhatRunsAlreadyIsKnownBeforeAnythingIsDecided) {
  engine_ = std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
  SubmissionsInRounds submissions({AJob(1).Submitted(kNow), AJob(2).Submitted(kNow)});
  executor_.RunsAlready(2);
  LoopPorts ports{executor_, {&feed_}, submissions, &journal_};
  ASSERT_TRUE(runtime::Run(*engine_, ports, {}));
  EXPECT_EQ(engine_->state().ended.at(2).first_start, kNow);
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow + hours{1}) << "there is one device";
}

TEST_F(LoopTest, StopsWhenEverythingHasEnded) {
  const auto result =
      RunJobs("run-now", {AJob(1).Submitted(kNow), AJob(2).Submitted(kNow + hours{3})});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->ended, kNow + hours{4});
  EXPECT_EQ(engine_->state().ended.size(), 2u);
}

TEST_F(LoopTest, ActsOnANewValueInTheCycleThatBringsIt) {
  ASSERT_TRUE(RunJobs("lowest-window", {AJob(1).Submitted(kNow).Within(hours{20})}));
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow + hours{5});
}

TEST_F(LoopTest, ASourceThatFailsIsAskedAgainLessAndLessOftenAndStopsNothing) {
  feed_.AddOutage({kNow, kNow + hours{10}});
  ASSERT_TRUE(RunJobs("run-now", {AJob(1).Submitted(kNow + hours{8})}));
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow + hours{8});
  // Waits of 1, 2, 4, 8, 16, 30, 30, ... minutes in nine hours.
  EXPECT_LE(feed_.observations(), 24);
  EXPECT_GE(feed_.observations(), 18);
}

TEST_F(LoopTest, ACommandThatCannotBeTriedIsAFailedStartAndTriedAgain) {
  executor_.RefuseNext(2);
  ASSERT_TRUE(RunJobs("run-now", {AJob(1).Submitted(kNow)}));
  EXPECT_EQ(engine_->state().ended.at(1).stage, engine::Stage::kSucceeded);
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow + minutes{3});
}

TEST_F(LoopTest, AnInterruptLeavesTheJobsToTheNextLife) {
  interrupted_ = true;
  const auto result = RunJobs("run-now", {AJob(1).Submitted(kNow)});
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->interrupted);
  EXPECT_EQ(engine_->state().live[0]->stage, engine::Stage::kStarting);
}

// A decision may have thousands of commands.
TEST_F(LoopTest, AnInterruptBetweenCommandsLeavesTheOthersToTheNextLife) {
  executor_.HasDevices(3);
  executor_.OnStart([this] { interrupted_ = true; });
  std::vector<core::Job> jobs;
  for (const core::JobId id : {1, 2, 3}) jobs.push_back(AJob(id).Submitted(kNow));
  ASSERT_TRUE(RunJobs("run-now", jobs)->interrupted);
  EXPECT_THAT(notes_, ::testing::ElementsAre("observe", "store decision", "start 1", "store"));
  executor_.OnStart([] {});
  interrupted_ = false;
  ASSERT_TRUE(GoOn());
  for (const core::JobId id : {1, 2, 3}) {
    EXPECT_EQ(engine_->state().ended.at(id).stage, engine::Stage::kSucceeded) << id;
    EXPECT_EQ(engine_->state().ended.at(id).first_start, kNow) << id;
  }
}

TEST_F(LoopTest, LivesThatEndBetweenDecidingAndTellingMakeNoJobWait) {
  journal_.EndLivesAfterDeciding(3);
  EXPECT_FALSE(RunJobs("run-now", {AJob(1).Submitted(kNow)}));
  EXPECT_FALSE(GoOn());
  EXPECT_FALSE(GoOn());
  ASSERT_TRUE(GoOn());
  EXPECT_EQ(engine_->state().ended.at(1).stage, engine::Stage::kSucceeded);
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow);
}

TEST_F(LoopTest, GoesOnByAClockThatWasSetBack) {
  executor_.SetClock(kNow + minutes{30}, kNow - hours{2});
  ASSERT_TRUE(RunJobs("run-now", {AJob(1).Submitted(kNow + hours{1})}));
  EXPECT_EQ(engine_->state().ended.at(1).first_start, kNow + hours{1});
  EXPECT_EQ(executor_.Now(), kNow + hours{2});
  EXPECT_GE(feed_.observations(), 4) << "the source is asked as often as before";
}

// The clock ran ahead for longer than one life.
TEST_F(LoopTest, ANewLifeGoesOnByTheClockAsItIsNow) {
  executor_.GoTo(kNow + hours{48});
  ASSERT_TRUE(RunJobs("run-now", {AJob(1).Submitted(kNow + hours{48})}));
  executor_.GoTo(kNow);
  ASSERT_TRUE(GoOn({AJob(2).Submitted(kNow + hours{1}).FinishBy(kNow + hours{3})}));
  ASSERT_TRUE(engine_->state().FindEnded(2)) << "a good deadline is taken";
  EXPECT_EQ(engine_->state().ended.at(2).first_start, kNow + hours{1});
  EXPECT_LE(engine_->state().ended.at(1).ended, kNow);
}

TEST_F(LoopTest, WaitsAreFew) {
  ASSERT_TRUE(RunJobs("lowest-window", {AJob(1).Submitted(kNow).Within(hours{20})}));
  EXPECT_LE(executor_.waits().size(), 12u) << "once an hour, and no polling";
}

TEST(SubmissionListTest, HandsOutEachEventOnceInOrderOfTime) {
  SubmissionList list({{kNow + hours{2}, engine::JobCancelled{2}},
                       {kNow, engine::JobCancelled{1}},
                       {kNow + hours{2}, engine::JobCancelled{3}}});
  EXPECT_EQ(list.NextAt(), kNow);
  EXPECT_EQ(list.Take(kNow + hours{1}).size(), 1u);
  EXPECT_EQ(std::get<engine::JobCancelled>(list.Take(kNow + hours{2})[1].fact).job, 3);
  EXPECT_TRUE(list.closed());
  EXPECT_EQ(list.NextAt(), Time::max());
}

}  // namespace
}  // namespace ebb::runtime
