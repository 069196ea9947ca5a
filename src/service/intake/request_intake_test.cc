// Submissions and changes through a whole service: what is taken, what is refused, and what
// follows.

#include <gtest/gtest.h>

#include "service/service.h"
#include "service/service_for_test.h"

namespace ebb::service {
namespace {

using engine::JobControl;
using engine::Stage;

// A refused submission leaves no number, no key, no sweep and no event.
TEST_F(ServiceTest, ARefusedSubmissionSaysWhyAndLeavesNothing) {
  world_.Start();
  Submit wide = world_.Shell("true");
  wide.submission.key = "mine";
  wide.submission.job.devices = 40;
  wide.sweep = std::make_shared<NewSweep>();
  wide.sweep->name = wide.sweep->key = "sweep";
  wide.sweep->halving = sweep::HalvingOptions{2, 1, 9};
  const auto answer = world_.Answered(wide);
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().Message().find("40"), std::string::npos) << answer.error().Message();
  EXPECT_EQ(answer.error().Message().find("job 1"), std::string::npos) << "that is another one";
  EXPECT_EQ(world_.service().view()->jobs.size(), 0u);
  EXPECT_TRUE(world_.service().view()->events.empty());
  Submit corrected = wide;
  corrected.submission.job.devices = 1;
  const auto taken = world_.Answered(corrected);
  ASSERT_TRUE(taken) << taken.error().Message();
  EXPECT_FALSE(taken->existing);
  EXPECT_EQ(taken->job, 1);
  EXPECT_EQ(taken->sweep, 1);
  world_.WaitForStage(1, Stage::kSucceeded);
  EXPECT_TRUE(world_.Answered(wide)->existing) << "whatever else it says";
  world_.Stop();
  auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM jobs"), 1);
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM sweeps"), 1);
}

TEST_F(ServiceTest, WhatComesAfterARefusedOneIsRefusedAtOnce) {
  world_.Start();
  std::vector<Request> batch;
  auto sweep = std::make_shared<NewSweep>();
  sweep->name = "chain";
  for (int i = 0; i < 4; ++i) {
    Submit next = world_.Shell("true");
    next.submission.key = "chain/" + std::to_string(i);
    if (i > 0) next.after_keys = {"chain/" + std::to_string(i - 1)};
    if (i == 0) next.submission.job.devices = 40;
    if (i >= 2) next.sweep = sweep;
    batch.emplace_back(std::move(next));
  }
  Submit other = world_.Shell("true");
  batch.emplace_back(other);
  auto answers = world_.service().AskAll(std::move(batch));
  for (int i = 0; i < 4; ++i) {
    const auto answer = answers[static_cast<std::size_t>(i)].get();
    ASSERT_FALSE(answer) << i;
    if (i == 0) continue;
    const std::string before = "chain/" + std::to_string(i - 1);
    EXPECT_NE(answer.error().Message().find(before), std::string::npos) << answer.error().Message();
  }
  EXPECT_EQ(answers[4].get()->job, 1);
  EXPECT_EQ(world_.WaitForStage(1, Stage::kSucceeded).submission->sweep, 0);
}

// The jobs were acknowledged in an earlier life and are refused now, when nobody waits for an
// answer.
TEST_F(ServiceTest, WhatWaitsForOneThatIsRefusedAfterARestartIsRefusedToo) {
  {
    auto store = *store::ServiceStore::Open(world_.store());
    core::Submission submission = world_.Shell("true");
    submission.job.submitted = World::kDay;
    submission.job.devices = 40;
    submission.key = "first";
    ASSERT_TRUE(store.AddJob(submission));
    submission = world_.Shell("true");
    submission.after = {1};
    ASSERT_TRUE(store.AddJob(submission));
    submission.after = {2};
    ASSERT_TRUE(store.AddJob(submission));
    ASSERT_TRUE(store.Commit());
  }
  world_.Start();
  EXPECT_EQ(world_.Submit(world_.Shell("true")), 4);
  const auto view = world_.service().view();
  std::set<core::JobId> said;
  for (const ServiceEvent& event : view->events)
    if (event.text.starts_with("refused: ")) said.insert(event.job);
  EXPECT_EQ(said, (std::set<core::JobId>{1, 2, 3}));
  core::Submission corrected = world_.Shell("true");
  corrected.key = "first";
  EXPECT_FALSE(world_.Answered(corrected)->existing);
  auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
  for (const core::JobId id : {1, 2, 3})
    EXPECT_EQ((**store::FindJob(database, id)).stage, Stage::kFailed) << id;
}

TEST_F(ServiceTest, StartingAtOnceIsCountedFromWhenItIsTaken) {
  world_.Start();
  for (int i = 0; i < 5; ++i) {
    Submit now = world_.Shell("true");
    now.start_within = Duration{0};
    now.finish_within = std::chrono::minutes{1};
    const auto taken = world_.Answered(now);
    ASSERT_TRUE(taken) << taken.error().Message();
    const JobCard card = world_.WaitForStage(taken->job, Stage::kSucceeded);
    const core::Job& job = card.submission->job;
    EXPECT_EQ(job.start_by, job.submitted);
    EXPECT_EQ(job.finish_by, job.submitted + std::chrono::minutes{1});
  }
}

// A recurring job whose instance occupies the only device for hours.
Submit HourlyOnOneDevice(World& world, core::OverlapRule overlap) {
  Submit hourly = world.Shell(kPausable);
  hourly.submission.job.name = "hourly";
  hourly.submission.job.duration = std::chrono::hours{5};
  hourly.recurrence = core::Recurrence{"@hourly", std::chrono::minutes{10}, overlap};
  return hourly;
}

// There is one device, and the instance that is to be replaced has it.
TEST_F(ServiceTest, AnInstanceThatReplacesTheLastOneIsTaken) {
  world_.adjust = [](ServiceOptions& options) { options.executor.cluster.pools[0].count = 1; };
  world_.Start();
  ASSERT_TRUE(world_.Answered(HourlyOnOneDevice(world_, core::OverlapRule::kReplace)));
  for (core::JobId id = 1; id <= 3; ++id) {
    world_.SkipTo(World::kDay + std::chrono::hours{id});
    std::ignore = world_.Answered(Cancel{99});  // wakes the loop
    world_.WaitForStage(id, Stage::kRunning);
    if (id == 1) continue;
    EXPECT_EQ(world_.WaitForStage(id - 1, Stage::kCancelled).detail,
              "replaced by its next instance");
  }
}

TEST_F(ServiceTest, AnInstanceThatIsRefusedIsSaidAndReplacesNothing) {
  world_.adjust = [](ServiceOptions& options) { options.executor.cluster.pools[0].count = 1; };
  world_.Start();
  ASSERT_TRUE(world_.Answered(HourlyOnOneDevice(world_, core::OverlapRule::kAllow)));
  world_.SkipTo(World::kDay + std::chrono::hours{1});
  std::ignore = world_.Answered(Cancel{99});
  world_.WaitForStage(1, Stage::kRunning);
  world_.SkipTo(World::kDay + std::chrono::hours{2});
  const auto view = world_.WaitFor([&](const View& now) {
    std::ignore = world_.Answered(Cancel{99});
    return std::any_of(now.events.begin(), now.events.end(), [](const ServiceEvent& said) {
      return said.job == 0 && said.text.starts_with("hourly: its instance is refused: ");
    });
  });
  EXPECT_EQ(view->jobs.Find(1)->explanation.stage, Stage::kRunning);
  EXPECT_FALSE(view->jobs.Find(2));
}

TEST_F(ServiceTest, TheSameKeyIsTheSameJobOverARestartToo) {
  world_.Start();
  core::Submission submission = world_.Shell("true");
  submission.key = "mine";
  const auto first = world_.Answered(submission);
  const auto second = world_.Answered(submission);
  world_.Restart();
  const auto third = world_.Answered(submission);
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(first->existing);
  EXPECT_TRUE(second->existing && third->existing);
  EXPECT_EQ(first->job, second->job);
  EXPECT_EQ(first->job, third->job);
}

TEST_F(ServiceTest, AKeyIsItsUsersOwn) {
  world_.Start();
  core::Submission of_one = world_.Shell("true"), of_other = world_.Shell("exit 3");
  of_one.key = of_other.key = "mine";
  of_one.environment.emplace_back("EBB_USER", "one");
  of_other.environment.emplace_back("EBB_USER", "other");
  const auto first = world_.Answered(of_one), second = world_.Answered(of_other);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(second->existing);
  EXPECT_NE(first->job, second->job);
  world_.Restart();
  EXPECT_EQ(world_.Answered(of_one)->job, first->job);
  EXPECT_EQ(world_.Answered(of_other)->job, second->job);
}

TEST_F(ServiceTest, AnotherContentUnderAKeyIsAConflict) {
  world_.Start();
  core::Submission first = world_.Shell("true"), other = world_.Shell("exit 3");
  first.key = other.key = "mine";
  ASSERT_TRUE(world_.Answered(first));
  for (int life = 0; life < 2; ++life) {
    const auto answer = world_.Answered(other);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->job, 1);
    EXPECT_NE(answer->conflict.find("job 1"), std::string::npos) << answer->conflict;
    EXPECT_NE(answer->conflict.find("differs in command"), std::string::npos) << answer->conflict;
    EXPECT_EQ(world_.Answered(first)->conflict, "");
    world_.Restart();
  }
}

TEST_F(ServiceTest, AJobComesAfterAnEarlierOneOfTheSameBatchByItsKey) {
  world_.Start();
  Submit first = world_.Shell("exit 0"), next = world_.Shell("exit 0"), lost = next;
  first.submission.key = "batch/first";
  next.after_keys = {"batch/first"};
  lost.after_keys = {"batch/frist"};
  auto answers = world_.service().AskAll({first, next, lost});
  ASSERT_TRUE(answers[0].get());
  const auto second = answers[1].get();
  ASSERT_TRUE(second);
  EXPECT_EQ(world_.WaitForStage(second->job, Stage::kSucceeded).submission->after,
            std::vector<core::JobId>{1});
  const auto refused = answers[2].get();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("batch/frist"), std::string::npos);
}

// The grid clock stands at midnight UTC. A minute later a new minute begins on any local clock.
TEST_F(ServiceTest, ARecurringJobOutlivesARestartAndMakesUpForWhatWasMissed) {
  world_.Start();
  Submit every_minute = world_.Shell("exit 0");
  every_minute.submission.job.name = "often";
  every_minute.recurrence = {"* * * * *", std::chrono::hours{1}, core::OverlapRule::kForbid};
  const auto given = world_.service().Ask(every_minute).get();
  ASSERT_TRUE(given);
  ASSERT_TRUE(given->next);
  world_.SkipTo(*given->next + std::chrono::minutes{5});
  world_.Restart();
  EXPECT_EQ(world_.WaitForStage(1, Stage::kSucceeded).submission->recurring, "often");
  ASSERT_EQ(world_.service().view()->recurring.size(), 1u);
  EXPECT_GT(world_.service().view()->recurring[0].next, *given->next);
  ASSERT_TRUE(world_.Answered(ChangeRecurring{"often"}));
  EXPECT_FALSE(world_.Answered(ChangeRecurring{"often"}));
}

TEST_F(ServiceTest, ARecurringJobThatFitsNoDeviceIsRefusedWhenItIsGiven) {
  world_.Start();
  Submit wide = world_.Shell("exit 0");
  wide.submission.job.name = "wide";
  wide.submission.job.devices = 1000;
  wide.recurrence = {"@daily", std::chrono::hours{1}, core::OverlapRule::kForbid};
  EXPECT_FALSE(world_.service().Ask(wide).get());
  EXPECT_TRUE(world_.service().view()->recurring.empty());
}

TEST_F(ServiceTest, AcknowledgedButUnknownToTheEngineIsSubmittedAgain) {
  {
    auto store = *store::ServiceStore::Open(world_.store());
    core::Submission submission = world_.Shell("true");
    submission.job.submitted = World::kDay;
    ASSERT_TRUE(store.AddJob(submission));
    submission.after = {1};
    ASSERT_TRUE(store.AddJob(submission));
    ASSERT_TRUE(store.Commit());
  }
  world_.Start();
  world_.WaitForStage(1, Stage::kSucceeded);
  world_.WaitForStage(2, Stage::kSucceeded);
}

TEST_F(ServiceTest, AProgramIsLookedUpWhenItIsSubmitted) {
  world_.Start();
  const auto refusal = [&](const auto& change) {
    Submit submit = world_.Shell("");
    change(submit);
    const auto answer = world_.Answered(submit);
    EXPECT_FALSE(answer);
    return answer ? std::string() : answer.error().Message();
  };
  const std::string missing =
      refusal([](Submit& s) { s.submission.command = {"no-such-program"}; });
  EXPECT_NE(missing.find("no-such-program: command not found"), std::string::npos) << missing;
  EXPECT_NE(missing.find("no_check"), std::string::npos) << missing;
  EXPECT_NE(refusal([](Submit& s) { s.submission.command = {"./later"}; }), "");
  EXPECT_NE(refusal([](Submit& s) {
              s.submission.working_directory = "/no/such/place";
            }).find("/no/such/place: the working directory"),
            std::string::npos);
  EXPECT_NE(refusal([](Submit& s) { s.submission.environment = {{"PATH", "/nowhere"}}; }), "");
  EXPECT_NE(refusal([](Submit& s) {
              s.submission.command = {"no-such-program"};
              s.recurrence = core::Recurrence{"@daily", std::chrono::hours{1}, {}};
            }),
            "");
  EXPECT_TRUE(world_.service().view()->recurring.empty());

  core::Submission first = world_.Shell("echo 'exit 0' > later; chmod +x later");
  Submit later = world_.Shell("");
  later.submission.command = {"./later"};
  later.submission.after = {world_.Submit(first)};
  later.no_check = true;
  const auto taken = world_.Answered(later);
  ASSERT_TRUE(taken) << taken.error().Message();
  world_.WaitForStage(taken->job, Stage::kSucceeded);
}

// A part of the service that remembers a job keeps its submission alive, so a submission that is
// still alive shows that some part has not forgotten its job.
TEST_F(ServiceTest, NothingIsKeptOfJobsThatNeverStarted) {
  world_.ended_in_view = 1;
  world_.Start();
  for (int i = 0; i < 2; ++i)
    world_.WaitForStage(world_.Submit(world_.Shell(kPausable)), Stage::kRunning);
  std::vector<std::weak_ptr<const core::Submission>> kept;
  for (int i = 0; i < 8; ++i) {
    core::Submission next = world_.Shell("true");
    if (i % 2 == 1) next.after = {1};
    const core::JobId id = world_.Submit(next);
    if (i % 4 == 1) {
      ASSERT_TRUE(world_.Answered(ControlOf(id, JobControl::kHold)));
    }
    kept.push_back(world_.service().view()->jobs.Find(id)->submission);
    ASSERT_TRUE(world_.Answered(Cancel{id}));
    world_.WaitForStage(id, Stage::kCancelled);
  }
  const auto left = [&] {
    return std::count_if(kept.begin(), kept.end(), [](const auto& job) { return !job.expired(); });
  };
  world_.WaitFor([&](const View&) { return left() <= 1; });
  EXPECT_EQ(left(), 1) << "the last one is shown";
}

}  // namespace
}  // namespace ebb::service
