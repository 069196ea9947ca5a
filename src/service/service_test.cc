#include "service/service.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <fstream>

#include "plan/make_policy.h"
#include "platform/file.h"
#include "service/world_for_test.h"
#include "store/store_check.h"

namespace ebb::service {
namespace {

using engine::Stage;
using engine::Wish;

const std::string kPausable = "trap 'exit 75' TERM; while :; do sleep 0.02; done";
// Ends well when the file `name` is there.
std::string Until(const std::string& name) {
  return "while [ ! -e " + name + " ]; do sleep 0.02; done";
}

service::Wish WishOf(core::JobId job, engine::Wish wish) { return {job, wish}; }

class ServiceTest : public ::testing::Test {
 protected:
  void Touch(const std::string& name) { std::ofstream(world_.directory() / name) << "x"; }
  World world_{::testing::UnitTest::GetInstance()->current_test_info()->name()};
};

// Both intensities are constant, so that what the energy would have emitted is a product.
TEST_F(ServiceTest, AJobRunsAndEndsWithItsFigures) {
  world_.Start();
  const core::JobId id = world_.Submit(world_.Shell("for i in $(seq 20000); do :; done; exit 0"));
  world_.WaitForStage(id, Stage::kSucceeded);
  const auto view = world_.WaitFor([&](const View& now) {
    const JobCard* card = now.jobs.Find(id);
    return card && card->emissions_at_submission;
  });
  const JobCard& card = *view->jobs.Find(id);
  EXPECT_EQ(card.attempt, 1);
  EXPECT_EQ(card.exit_code, 0);
  ASSERT_TRUE(card.first_start && card.ended);
  EXPECT_GE(*card.first_start, card.submission->job.submitted);
  EXPECT_GT(card.energy.joules(), 0);
  ASSERT_TRUE(card.emissions);
  EXPECT_NEAR(card.emissions->grams, card.energy.kwh() * 360, 1e-9);
  EXPECT_NEAR(card.emissions_at_submission->grams, card.energy.kwh() * 360, 1e-9);
  world_.Stop();
  auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
  const store::JobRecord row = **store::FindJob(database, id);
  EXPECT_EQ(row.stage, Stage::kSucceeded);
  EXPECT_EQ(row.energy.microjoules(), card.energy.microjoules());
}

// Under this policy and one intensity, first come, first served is what happened.
TEST_F(ServiceTest, TheBaselineOfAServiceThatDoesNotWaitIsItself) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell("sleep 0.3"));
  const core::JobId second = world_.Submit(world_.Shell("sleep 0.3"));
  for (const core::JobId id : {first, second}) {
    const auto view = world_.WaitFor([&](const View& now) {
      const JobCard* card = now.jobs.Find(id);
      return card && card->emissions_first_come;
    });
    const JobCard* card = view->jobs.Find(id);
    ASSERT_TRUE(card && card->emissions_first_come);
    EXPECT_NEAR(card->emissions_first_come->grams, card->emissions->grams,
                1e-6 * card->emissions->grams);
    EXPECT_EQ(card->first_come_start, card->submission->job.submitted);
  }
}

// No number, no key, no sweep, nothing said of a job that is not there.
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
  EXPECT_TRUE(world_.service().view()->happenings.empty());
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

// Acknowledged in an earlier life, and refused now: nobody waits for the answer.
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
  for (const Happening& happening : view->happenings)
    if (happening.text.starts_with("refused: ")) said.insert(happening.job);
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

// One device: what the next instance replaces has it.
TEST_F(ServiceTest, AnInstanceThatReplacesTheLastOneIsTaken) {
  world_.adjust = [](ServiceOptions& options) { options.executor.cluster.pools[0].count = 1; };
  world_.Start();
  Submit hourly = world_.Shell(kPausable);
  hourly.submission.job.name = "hourly";
  hourly.submission.job.run_time = std::chrono::hours{5};
  hourly.recurrence =
      core::Recurrence{"@hourly", std::chrono::minutes{10}, core::OverlapRule::kReplace};
  ASSERT_TRUE(world_.Answered(hourly));
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
  Submit hourly = world_.Shell(kPausable);
  hourly.submission.job.name = "hourly";
  hourly.submission.job.run_time = std::chrono::hours{5};
  hourly.recurrence =
      core::Recurrence{"@hourly", std::chrono::minutes{10}, core::OverlapRule::kAllow};
  ASSERT_TRUE(world_.Answered(hourly));
  world_.SkipTo(World::kDay + std::chrono::hours{1});
  std::ignore = world_.Answered(Cancel{99});
  world_.WaitForStage(1, Stage::kRunning);
  world_.SkipTo(World::kDay + std::chrono::hours{2});
  const auto view = world_.WaitFor([&](const View& now) {
    std::ignore = world_.Answered(Cancel{99});
    return std::any_of(now.happenings.begin(), now.happenings.end(), [](const Happening& said) {
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

TEST_F(ServiceTest, AUsedUpBudgetHoldsTheJobUntilItIsResumed) {
  world_.Start();
  core::Submission busy = world_.Shell("trap 'exit 75' TERM; while :; do :; done");
  busy.budget = {Energy::Joules(2), std::nullopt, core::BudgetAction::kPause};
  const core::JobId id = world_.Submit(busy);
  world_.WaitForStage(id, Stage::kPaused);
  const auto view = world_.service().view();
  EXPECT_TRUE(std::any_of(view->happenings.begin(), view->happenings.end(), [](const auto& said) {
    return said.text.find("budget reached") != std::string::npos;
  }));
  const auto why = [&] { return world_.service().view()->jobs.Find(id)->detail; };
  EXPECT_TRUE(why().starts_with("budget reached")) << why();
  const std::string before = why();
  world_.Restart();
  EXPECT_EQ(why(), before);
  ASSERT_TRUE(world_.Answered(service::Wish{id, engine::Wish::kNone}));
  EXPECT_EQ(world_.WaitForStage(id, Stage::kRunning).detail, "");
}

TEST_F(ServiceTest, ABudgetUsedUpWhileTheServiceIsAwayHoldsTheJobOnce) {
  world_.Start();
  core::Submission busy = world_.Shell("trap 'exit 75' TERM; while :; do :; done");
  busy.budget = {Energy::Joules(10), std::nullopt, core::BudgetAction::kPause};
  const core::JobId id = world_.Submit(busy);
  world_.WaitForStage(id, Stage::kRunning);
  const auto end = local::AttemptPaths{world_.service().DirectoryOf(id), 1}.end();
  world_.Stop();
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (!std::filesystem::exists(end) && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
  for (int life = 0; life < 2; ++life) {
    world_.Restart();
    world_.WaitForStage(world_.Submit(world_.Shell("true")), Stage::kSucceeded);
    EXPECT_EQ(world_.service().view()->jobs.Find(id)->explanation.stage, Stage::kPaused) << life;
  }
  ASSERT_TRUE(world_.Answered(service::Wish{id, engine::Wish::kNone}));
  world_.WaitForStage(id, Stage::kRunning);
  world_.Restart();
  world_.WaitForStage(world_.Submit(world_.Shell("true")), Stage::kSucceeded);
  EXPECT_EQ(world_.service().view()->jobs.Find(id)->explanation.stage, Stage::kRunning)
      << "it was heard before";
}

TEST_F(ServiceTest, WhatTheEngineHasForgottenIsKnownFromTheStore) {
  world_.ended_in_view = 4;
  world_.Start();
  core::Submission keyed = world_.Shell("true");
  keyed.key = "old";
  ASSERT_EQ(world_.Submit(keyed), 1);
  world_.WaitForStage(1, Stage::kSucceeded);
  for (int i = 0; i < 12; ++i)
    world_.WaitForStage(world_.Submit(world_.Shell("true")), Stage::kSucceeded);
  world_.WaitFor([](const View& view) { return view.jobs.size() <= 4; });
  world_.Restart();

  EXPECT_TRUE(world_.Answered(keyed)->existing);
  EXPECT_EQ(world_.Answered(keyed)->job, 1);
  EXPECT_TRUE(world_.Answered(Cancel{1}));
  const auto resumed = world_.Answered(service::Wish{1, engine::Wish::kNone});
  ASSERT_FALSE(resumed);
  EXPECT_NE(resumed.error().Message().find("has ended"), std::string::npos);
  EXPECT_FALSE(world_.Answered(service::Wish{99, engine::Wish::kNone}));
  core::Submission next = world_.Shell("true");
  next.after = {1};
  world_.WaitForStage(world_.Submit(next), Stage::kSucceeded);

  world_.Stop();
  auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
  EXPECT_GE(**database.Integer("SELECT count(*) FROM journal WHERE kind = 'ended_forgotten'"), 1);
  EXPECT_EQ(**database.Integer("SELECT count(*) FROM jobs WHERE stage = 'succeeded'"), 14);
  const auto checked = store::CheckStore(database, {});
  ASSERT_TRUE(checked);
  for (const store::CheckResult& result : *checked)
    EXPECT_TRUE(result.problems.empty()) << result.what << ": " << result.problems.front();
}

// What is shown as saved is that of all jobs, however few of them are kept in memory, and in the
// next life, too. Both intensities are constant: each baseline is what the job emitted.
TEST_F(ServiceTest, SavingsCountJobsThatTheViewHasForgotten) {
  constexpr std::size_t kJobs = 9;
  world_.ended_in_view = 2;
  world_.Start();
  const auto all_compared = [](const View& view) {
    store::EndedSums sums = view.forgotten;
    view.jobs.ForEach(0, [&](const JobCard& card) {
      if (card.emissions_first_come)
        sums.Add(card.energy, card.emissions, card.emissions_at_submission,
                 card.emissions_first_come);
      return true;
    });
    return sums;
  };
  // One by one: with so small a view, many ends at once would be forgotten before they are
  // compared.
  for (int compared = 1; compared <= static_cast<int>(kJobs); ++compared) {
    world_.Submit(world_.Shell("for i in $(seq 20000); do :; done"));
    world_.WaitFor(
        [&](const View& view) { return all_compared(view).on_first_come.jobs == compared; });
  }
  const auto holds = [&](const View& view) {
    const store::EndedSums sums = all_compared(view);
    return view.jobs.size() == 2 && sums.on_first_come.jobs == static_cast<int>(kJobs) &&
           sums.on_submission.jobs == static_cast<int>(kJobs);
  };
  const auto before = world_.WaitFor(holds);
  EXPECT_GE(before->forgotten.on_first_come.jobs, 1);
  EXPECT_EQ(before->forgotten.on_submission.jobs, before->forgotten.on_first_come.jobs);
  world_.Restart();
  const auto after = world_.WaitFor(holds);
  EXPECT_EQ(after->forgotten.on_first_come.jobs, static_cast<int>(kJobs) - 2);
  world_.Stop();

  auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
  Emissions emitted;
  for (std::size_t id = 1; id <= kJobs; ++id)
    emitted += *(*store::FindJob(database, static_cast<core::JobId>(id)))->emissions;
  for (const auto& view : {before, after}) {
    const store::EndedSums sums = all_compared(*view);
    for (const store::Compared& compared : {sums.on_submission, sums.on_first_come}) {
      EXPECT_NEAR(compared.emitted.grams, emitted.grams, 1e-6 * emitted.grams);
      EXPECT_NEAR(compared.baseline.grams, emitted.grams, 1e-6 * emitted.grams);
      EXPECT_EQ(compared.not_compared, 0);
    }
  }
}

TEST_F(ServiceTest, TheDevicesOfAnAttemptAreKnownOverARestartToo) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell("exec sleep 600"));
  const core::JobId second = world_.Submit(world_.Shell(Until("go")));
  const auto known = [&](const View& view) {
    for (const core::JobId id : {first, second}) {
      const JobCard* card = view.jobs.Find(id);
      if (!card || card->slots.empty() || card->slots.back().empty()) return false;
    }
    return true;
  };
  const auto before = world_.WaitFor(known);
  const std::vector<int> of_first = before->jobs.Find(first)->slots.back();
  const std::vector<int> of_second = before->jobs.Find(second)->slots.back();
  EXPECT_NE(of_first, of_second) << "there are two slots";
  Touch("go");
  world_.WaitForStage(second, Stage::kSucceeded);
  world_.Restart();
  const auto after = world_.WaitFor(known);
  EXPECT_EQ(after->jobs.Find(first)->slots.back(), of_first);
  EXPECT_EQ(after->jobs.Find(second)->slots.back(), of_second);
  EXPECT_TRUE(world_.Answered(Cancel{first}));
  world_.WaitForStage(first, Stage::kCancelled);
}

// The grid clock says midnight in UTC; a minute later, on any local clock, a minute begins.
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

TEST_F(ServiceTest, WhatAJobTookBeforeIsWhatItIsExpectedToTake) {
  world_.Start();
  Submit first = world_.Shell("sleep 0.3");
  first.run_time_given = true;  // a second
  const auto submit = [&](const Submit& job) {
    const auto answer = world_.service().Ask(job).get();
    EXPECT_TRUE(answer);
    return world_.WaitForStage(answer ? answer->job : 0, Stage::kSucceeded);
  };
  EXPECT_EQ(submit(first).submission->job.run_time, Duration{1000});
  // The hint and what was measured weigh the same; then there are two measurements.
  const Duration second = submit(first).submission->job.run_time;
  EXPECT_LT(second, Duration{1000});
  EXPECT_GE(second, Duration{547}) << "the geometric mean of 1 s and at least 0.3 s";
  first.run_time_given = false;
  const Duration third = submit(first).submission->job.run_time;
  EXPECT_LT(third, Duration{1000});
  EXPECT_GE(third, Duration{300});
  first.submission.power_cap = core::PowerCap{.watts = 0, .percent = 70};
  first.submission.job.run_time = Duration{1000};
  EXPECT_EQ(submit(first).submission->job.run_time, Duration{1000})
      << "slower, nobody knows by how much";
  Submit other = world_.Shell("sleep 0.01");
  EXPECT_EQ(submit(other).submission->job.run_time, Duration{1000}) << "another command";
}

TEST_F(ServiceTest, SuccessLetsTheNextOneGo) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell(Until("go")));
  core::Submission next = world_.Shell("true");
  next.after = {first};
  const core::JobId second = world_.Submit(next);
  EXPECT_EQ(world_.service().view()->jobs.Find(second)->waits_for,
            (std::vector<core::JobId>{first}));
  world_.WaitForStage(first, Stage::kRunning);
  EXPECT_EQ(world_.WaitForStage(second, Stage::kWaiting).attempt, 0);
  world_.Restart();
  EXPECT_EQ(world_.service().view()->jobs.Find(second)->waits_for,
            (std::vector<core::JobId>{first}));
  Touch("go");
  world_.WaitForStage(first, Stage::kSucceeded);
  const JobCard card = world_.WaitForStage(second, Stage::kSucceeded);
  EXPECT_GE(*card.first_start, *world_.service().view()->jobs.Find(first)->ended);
}

TEST_F(ServiceTest, FailureCancelsThoseThatWaitAndTheirs) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell(Until("go") + "; exit 3"));
  core::Submission next = world_.Shell("true");
  next.after = {first};
  const core::JobId second = world_.Submit(next);
  next.after = {second};
  const core::JobId third = world_.Submit(next);
  Touch("go");
  EXPECT_EQ(world_.WaitForStage(first, Stage::kFailed).exit_code, 3);
  world_.WaitForStage(second, Stage::kCancelled);
  world_.WaitForStage(third, Stage::kCancelled);
  next.after = {first};
  EXPECT_FALSE(world_.Answered(next)) << "a failed predecessor refuses at once";
  next.after = {99};
  EXPECT_FALSE(world_.Answered(next));
}

// The service was killed after the end of the first job was stored and before the second was let
// go: the one that waits is held, and nothing it waits for is left.
TEST_F(ServiceTest, AnEndThatWasStoredBeforeACrashIsFollowedAfterIt) {
  world_.Open();
  world_.service();
  world_.Stop();
  {
    auto store = *store::ServiceStore::Open(world_.store());
    auto recovered = *store.Recover(
        std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {})));
    engine::Engine& engine = *recovered.engine;
    const auto give = [&](engine::Fact fact) {
      engine::Event event{World::kDay, std::move(fact)};
      ASSERT_TRUE(engine.Apply(event));
      ASSERT_TRUE(store.Append(event));
    };
    core::Cluster cluster;
    cluster.sites = {{"here", "DE", Pue{1}}};
    cluster.pools = {{"cpu", 0, 2, 1, 1, Power{0}}};
    give(engine::ClusterChanged{cluster});
    for (const core::JobId after : {0, 1, 0, 3}) {
      core::Submission submission = world_.Shell("true");
      submission.job.submitted = World::kDay;
      if (after > 0) submission.after = {after};
      submission.job.id = store.AddJob(submission)->id;
      give(engine::JobSubmitted{submission.job});
      if (after > 0) give(engine::JobWished{submission.job.id, Wish::kHold});
    }
    ASSERT_TRUE(store.Append(engine.Decide(World::kDay)));
    for (const core::JobId id : {1, 3}) {
      const auto phase = id == 1 ? engine::JobPhase::kSucceeded : engine::JobPhase::kFailed;
      give(engine::JobReport{id, 1, phase, 0, World::kDay, id == 1 ? 0 : 3, ""});
    }
    ASSERT_TRUE(store.Append(engine.Decide(World::kDay)));
    ASSERT_TRUE(engine.state().FindEnded(1) && engine.state().FindEnded(3));
  }
  world_.Start();
  world_.WaitForStage(2, Stage::kSucceeded);
  world_.WaitForStage(4, Stage::kCancelled);
}

TEST_F(ServiceTest, APersonsHoldOutlivesARestartAndItsPredecessors) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell("true"));
  world_.WaitForStage(first, Stage::kSucceeded);
  core::Submission next = world_.Shell(kPausable);
  next.after = {first};
  const core::JobId second = world_.Submit(next);
  world_.WaitForStage(second, Stage::kRunning);
  ASSERT_TRUE(world_.Answered(WishOf(second, Wish::kHold)));
  world_.WaitForStage(second, Stage::kPaused);
  world_.Restart();
  const core::JobId other = world_.Submit(world_.Shell("true"));
  world_.WaitForStage(other, Stage::kSucceeded);
  EXPECT_EQ(world_.service().view()->jobs.Find(second)->explanation.stage, Stage::kPaused);
  ASSERT_TRUE(world_.Answered(WishOf(second, Wish::kNone)));
  EXPECT_EQ(world_.WaitForStage(second, Stage::kRunning).attempt, 2);
}

TEST_F(ServiceTest, WhatAPersonHoldsIsNotLetGoByItsPredecessor) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell(Until("go")));
  core::Submission next = world_.Shell("true");
  next.after = {first};
  const core::JobId held = world_.Submit(next);
  const core::JobId resumed = world_.Submit(next);
  for (const core::JobId id : {held, resumed})
    ASSERT_TRUE(world_.Answered(WishOf(id, Wish::kHold)));
  world_.Restart();
  ASSERT_TRUE(world_.Answered(WishOf(resumed, Wish::kNone)));
  Touch("go");
  world_.WaitForStage(resumed, Stage::kSucceeded);
  EXPECT_GE(*world_.service().view()->jobs.Find(resumed)->first_start,
            *world_.service().view()->jobs.Find(first)->ended);
  EXPECT_EQ(world_.service().view()->jobs.Find(held)->explanation.stage, Stage::kWaiting);
  world_.Restart();
  EXPECT_TRUE(world_.service().view()->jobs.Find(held)->waits_for.empty());
  ASSERT_TRUE(world_.Answered(WishOf(held, Wish::kNone)));
  world_.WaitForStage(held, Stage::kSucceeded);
}

TEST_F(ServiceTest, PausesResumesAndCancels) {
  world_.Start();
  const core::JobId id = world_.Submit(world_.Shell(kPausable));
  world_.WaitForStage(id, Stage::kRunning);
  ASSERT_TRUE(world_.Answered(WishOf(id, Wish::kHold)));
  EXPECT_EQ(world_.WaitForStage(id, Stage::kPaused).pauses, 1);
  ASSERT_TRUE(world_.Answered(WishOf(id, Wish::kNow)));
  EXPECT_EQ(world_.WaitForStage(id, Stage::kRunning).attempt, 2);
  ASSERT_TRUE(world_.Answered(Cancel{id}));
  world_.WaitForStage(id, Stage::kCancelled);
  EXPECT_FALSE(world_.Answered(Cancel{77}));
  EXPECT_FALSE(world_.Answered(WishOf(77, Wish::kNow)));
}

TEST_F(ServiceTest, ARestartAdoptsWhatRuns) {
  world_.Start();
  const core::JobId id = world_.Submit(world_.Shell("echo x >> starts; " + Until("go")));
  world_.WaitForStage(id, Stage::kRunning);
  for (int life = 0; life < 3; ++life) {
    world_.Restart();
    const JobCard card = world_.WaitForStage(id, Stage::kRunning);
    EXPECT_EQ(card.attempt, 1);
    EXPECT_TRUE(card.first_start);
  }
  Touch("go");
  const JobCard card = world_.WaitForStage(id, Stage::kSucceeded);
  EXPECT_EQ(card.attempt, 1);
  EXPECT_EQ(*platform::ReadFile(world_.directory() / "starts"), "x\n");
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

// The file may not grow: nothing is taken or started, what runs goes on, and once there is room the
// end that came meanwhile is followed by all that follows from it.
TEST_F(ServiceTest, AFullDiskRefusesClearlyAndPasses) {
  std::signal(SIGXFSZ, SIG_IGN);
  world_.Start();
  const core::JobId running = world_.Submit(world_.Shell(Until("go")));
  world_.WaitForStage(running, Stage::kRunning);
  core::Submission next = world_.Shell("true");
  next.after = {running};
  const core::JobId waiting = world_.Submit(next);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 1;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const auto refused = world_.Answered(world_.Shell("true"));
  const auto again = world_.Answered(world_.Shell("true"));
  const auto view = world_.WaitFor([](const View& now) { return !now.trouble.empty(); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(refused);
  ASSERT_FALSE(again);
  EXPECT_EQ(refused.error().code, ExitCode::kUnavailable);
  EXPECT_NE(refused.error().Message().find("cannot store"), std::string::npos);
  EXPECT_FALSE(view->running.empty());
  world_.WaitFor([](const View& now) { return now.trouble.empty(); });
  Touch("go");
  world_.WaitForStage(running, Stage::kSucceeded);
  world_.WaitForStage(waiting, Stage::kSucceeded);
  EXPECT_EQ(world_.Submit(world_.Shell("true")) > waiting, true);
}

TEST_F(ServiceTest, AnEndWhileTheDiskWasFullReachesThoseThatWait) {
  std::signal(SIGXFSZ, SIG_IGN);
  world_.Start();
  const core::JobId running = world_.Submit(world_.Shell(Until("go")));
  core::Submission next = world_.Shell("true");
  next.after = {running};
  const core::JobId waiting = world_.Submit(next);
  world_.WaitForStage(running, Stage::kRunning);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit limit = before;
  limit.rlim_cur = 8;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  Touch("go");
  world_.WaitFor([](const View& now) { return !now.trouble.empty(); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  world_.WaitForStage(running, Stage::kSucceeded);
  world_.WaitForStage(waiting, Stage::kSucceeded);
}

TEST_F(ServiceTest, ASecondServiceOnTheStoreIsRefused) {
  world_.Start();
  EXPECT_FALSE(store::ServiceStore::Open(world_.store()));
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

// Whoever keeps something of a job keeps its submission with it.
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
      ASSERT_TRUE(world_.Answered(WishOf(id, Wish::kHold)));
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

TEST(Service, AStartThatCannotWorkFailsAtOnceWithItsCause) {
  World world("no_such_command");
  world.Start();
  Submit submit = world.Shell("");
  submit.submission.command = {"/no/such/command"};
  submit.no_check = true;
  const auto taken = world.Answered(submit);
  ASSERT_TRUE(taken);
  const JobCard card = world.WaitForStage(taken->job, Stage::kFailed);
  EXPECT_EQ(card.attempt, 1);
  EXPECT_EQ(card.exit_code, 127);
  EXPECT_NE(card.detail.find("/no/such/command: command not found"), std::string::npos);
  const local::AttemptPaths paths{world.service().DirectoryOf(taken->job), 1};
  EXPECT_EQ(*platform::ReadFile(paths.log()), "ebb: " + card.detail + "\n");
  const auto view = world.service().view();
  EXPECT_EQ(view->counters.failed_starts, 0);
  EXPECT_EQ(view->counters.failed_starts_in_a_row, 0);
  std::int64_t starts = 0;
  for (const auto& [rule, count] : view->counters.starts) starts += count;
  EXPECT_EQ(starts, 1);
}

// A live clock, and somebody who sets it.
class ClockTest : public ::testing::Test {
 protected:
  void SetClock(Duration by) {
    const Time before = world_.service().GridNow();
    world_.wall().Jump(by);
    world_.WaitFor([&](const View& view) {
      return by > Duration::zero() ? view.now > before + by / 2 : view.now < before + by / 2;
    });
  }
  bool WasSaid(const std::string& text) {
    const auto view = world_.service().view();
    return std::any_of(view->happenings.begin(), view->happenings.end(),
                       [&](const auto& said) { return said.text.find(text) != std::string::npos; });
  }
  Result<Answer> SubmitWithin(Duration delay) {
    core::Submission submission = world_.Shell("true");
    submission.job.finish_by = world_.service().GridNow() + delay;
    return world_.Answered(submission);
  }
  std::vector<std::string> Problems() {
    world_.Stop();
    std::vector<std::string> problems;
    auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
    store::CheckOptions options;
    options.make_engine = [] {
      return std::make_unique<engine::Engine>(engine::Options{}, *plan::MakePolicy("run-now", {}));
    };
    const auto checked = store::CheckStore(database, options);
    if (!checked) return {checked.error().Message()};
    for (const store::CheckResult& check : *checked)
      problems.insert(problems.end(), check.problems.begin(), check.problems.end());
    return problems;
  }
  static constexpr Duration kTwoDays = std::chrono::hours{48};
  World world_{::testing::UnitTest::GetInstance()->current_test_info()->name(),
               std::vector<double>(24 * 9, 100.0), 1, true};
};

TEST_F(ClockTest, AClockThatWasAheadIsFollowedBothWaysAndLeavesNoTrace) {
  world_.Start();
  const core::JobId runs = world_.Submit(world_.Shell("while [ ! -e go ]; do sleep 0.02; done"));
  world_.WaitForStage(runs, Stage::kRunning);
  SetClock(kTwoDays);
  EXPECT_TRUE(WasSaid("the wall clock jumped ahead by 2d 0h"));
  EXPECT_TRUE(WasSaid("the wall clock was set ahead by"));
  const auto ahead = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(ahead) << ahead.error().Message();
  world_.WaitForStage(ahead->job, Stage::kSucceeded);
  SetClock(-kTwoDays);
  EXPECT_TRUE(WasSaid("the wall clock was set back by"));
  const auto good = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(good) << good.error().Message();
  const JobCard card = world_.WaitForStage(good->job, Stage::kSucceeded);
  EXPECT_LE(*card.ended, world_.service().GridNow());
  std::ofstream(world_.directory() / "go") << "x";
  const JobCard ended = world_.WaitForStage(runs, Stage::kSucceeded);
  EXPECT_EQ(ended.attempt, 1);
  EXPECT_LT(*ended.ended - *ended.first_start, Duration{std::chrono::minutes{10}});
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

TEST_F(ClockTest, AClockThatIsWrongForAMomentChangesNothing) {
  world_.adjust = [](ServiceOptions& options) {
    options.executor.clock.settle = std::chrono::hours{1};
  };
  world_.Start();
  const Time before = world_.service().GridNow();
  world_.wall().Jump(kTwoDays);
  const auto answer = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(answer) << answer.error().Message();
  world_.WaitForStage(answer->job, Stage::kSucceeded);
  EXPECT_TRUE(WasSaid("it is followed if it stays there"));
  world_.wall().Jump(-kTwoDays);
  ASSERT_TRUE(SubmitWithin(std::chrono::hours{1}));
  world_.WaitFor([&](const View&) { return WasSaid("back where it was"); });
  EXPECT_LT(world_.service().GridNow(), before + std::chrono::minutes{10});
  EXPECT_FALSE(WasSaid("was set"));
}

TEST_F(ClockTest, AStoreWhoseTimeLiesInTheFutureGoesOnFromNow) {
  world_.wall().Jump(kTwoDays);
  world_.Start();
  const core::JobId held = world_.Submit(world_.Shell("while [ ! -e go ]; do sleep 0.02; done"));
  ASSERT_TRUE(world_.Answered(WishOf(held, engine::Wish::kHold)));
  world_.Submit(world_.Shell("true"));
  world_.WaitForStage(held + 1, Stage::kSucceeded);
  world_.Stop();
  world_.wall().Jump(-kTwoDays);
  world_.Start();
  const auto good = SubmitWithin(std::chrono::hours{1});
  ASSERT_TRUE(good) << good.error().Message();
  world_.WaitForStage(good->job, Stage::kSucceeded);
  EXPECT_TRUE(WasSaid("the wall clock was set back by"));
  EXPECT_LT(world_.service().view()->now, world_.wall().Now() + std::chrono::minutes{1});
  std::ofstream(world_.directory() / "go") << "x";
  const auto let_go = world_.Answered(WishOf(held, engine::Wish::kNone));
  ASSERT_TRUE(let_go) << let_go.error().Message();
  world_.WaitForStage(held, Stage::kSucceeded);
  EXPECT_EQ(Problems(), std::vector<std::string>());
}

}  // namespace
}  // namespace ebb::service
