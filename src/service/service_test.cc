#include "service/service.h"

#include <gtest/gtest.h>

#include "plan/make_policy.h"
#include "platform/file.h"
#include "service/service_for_test.h"
#include "store/upkeep/store_check.h"

namespace ebb::service {
namespace {

using engine::JobControl;
using engine::Stage;

// Both intensities are constant, so that expected emissions are products.
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

// The program does 5 of 30 steps twice, and the service is restarted meanwhile.
TEST_F(ServiceTest, TheWorkOfAJobIsFollowedAndHasItsEnergyPerUnit) {
  world_.Start();
  const core::JobId id =
      world_.Submit(world_.Shell("report() { echo '{\"time_ms\":1,\"event\":\"'$1'\",\"step\":'$2"
                                 "',\"total_steps\":40}' >> "
                                 "$EBB_RUN_DIR/progress.jsonl; }; report begin 0; report step 25; "
                                 "until [ -e go ]; do :; done; report resume 20; report end 30"));
  const auto card = [&]() -> const JobCard& { return *world_.service().view()->jobs.Find(id); };
  world_.WaitFor([&](const View& now) {
    const JobCard* found = now.jobs.Find(id);
    return found && found->work.steps == 25 && !found->per_unit().empty();
  });
  EXPECT_FALSE(card().work.samples);
  EXPECT_EQ(card().share, 25 / 40.0);
  world_.Restart();
  Touch("go");
  world_.WaitForStage(id, Stage::kSucceeded);
  world_.WaitFor([&](const View& now) { return now.jobs.Find(id)->energy_half_width.has_value(); });
  for (const bool restarted : {false, true}) {
    if (restarted)
      world_.Restart();
    else
      EXPECT_EQ(card().share, 30 / 40.0);
    ASSERT_EQ(card().work.steps, 30);
    ASSERT_EQ(card().per_unit().size(), 1u);
    EXPECT_NEAR(card().per_unit()[0].joules, card().energy.joules() / 30, 1e-12);
    EXPECT_NEAR(*card().per_unit()[0].grams, card().energy.kwh() * 360 / 30, 1e-9);
    EXPECT_GT(*card().energy_half_width, 0);
    EXPECT_GT(*card().emissions_half_width, *card().energy_half_width);
  }
}

// With the policy run-now the queue really runs first come, first served.
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

TEST_F(ServiceTest, AUsedUpBudgetHoldsTheJobUntilItIsResumed) {
  world_.Start();
  core::Submission busy = world_.Shell("trap 'exit 75' TERM; while :; do :; done");
  busy.budget = {Energy::Joules(2), std::nullopt, core::BudgetAction::kPause};
  const core::JobId id = world_.Submit(busy);
  world_.WaitForStage(id, Stage::kPaused);
  const auto view = world_.service().view();
  EXPECT_TRUE(std::any_of(view->events.begin(), view->events.end(), [](const auto& said) {
    return said.text.find("budget reached") != std::string::npos;
  }));
  const auto why = [&] { return world_.service().view()->jobs.Find(id)->detail; };
  EXPECT_TRUE(why().starts_with("budget reached")) << why();
  const std::string before = why();
  world_.Restart();
  EXPECT_EQ(why(), before);
  ASSERT_TRUE(world_.Answered(service::ControlJob{id, engine::JobControl::kNone}));
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
  ASSERT_TRUE(world_.Answered(service::ControlJob{id, engine::JobControl::kNone}));
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
  const auto resumed = world_.Answered(service::ControlJob{1, engine::JobControl::kNone});
  ASSERT_FALSE(resumed);
  EXPECT_NE(resumed.error().Message().find("has ended"), std::string::npos);
  EXPECT_FALSE(world_.Answered(service::ControlJob{99, engine::JobControl::kNone}));
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

// The savings shown are those of all jobs, however few the view keeps, and in the next life too.
// Both intensities are constant, so each baseline is what the job emitted.
TEST_F(ServiceTest, SavingsCountJobsThatTheViewHasForgotten) {
  constexpr std::size_t kJobs = 9;
  world_.ended_in_view = 2;
  world_.Start();
  const auto all_compared = [](const View& view) {
    store::EndedSums sums = view.forgotten;
    view.jobs.ForEach(0, [&](const JobCard& card) {
      if (card.emissions_first_come)
        sums.Add(card.energy, card.emissions, card.at_submission(), card.first_come());
      return true;
    });
    return sums;
  };
  // The jobs end one by one: so small a view would forget jobs that end together before they are
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

// The next life looks too for hours that had not been published when the job ended.
TEST_F(ServiceTest, WhatIsPublishedAfterARestartIsSettledSoon) {
  world_.feed().Publish(World::kDay, {});
  world_.Start();
  const core::JobId job = world_.Submit(world_.Shell("for i in $(seq 20000); do :; done"));
  const auto settled = [&](const View& view) {
    const JobCard* card = view.jobs.Find(job);
    return card && card->emissions_settled;
  };
  world_.WaitFor(settled);
  world_.Stop();
  world_.feed().Publish(World::kDay, {720, 720, 720});
  world_.Start();
  const auto before = world_.WaitFor(settled);
  const Emissions metered = *before->jobs.Find(job)->emissions;
  EXPECT_EQ(before->jobs.Find(job)->emissions_settled, metered);
  std::this_thread::sleep_for(
      std::chrono::milliseconds{300});  // nothing else wakes the loop meanwhile
  world_.SkipTo(World::kDay + std::chrono::minutes{15});
  const auto after = world_.WaitFor(
      [&](const View& view) { return view.jobs.Find(job)->emissions_settled != metered; });
  EXPECT_NEAR(after->jobs.Find(job)->emissions_settled->grams, 2 * metered.grams,
              1e-9 * metered.grams);
}

// A job is counted on the day on which it ran, over a restart, and on what is published later.
TEST_F(ServiceTest, WhatJobsUsedTodayIsKnown) {
  world_.feed().Publish(World::kDay, {});
  world_.Start();
  const core::JobId job = world_.Submit(world_.Shell("for i in $(seq 20000); do :; done"));
  const auto all_of_it = [&](const View& view) {
    const JobCard* card = view.jobs.Find(job);
    return card && card->emissions_settled && view.today.energy == card->energy &&
           view.today.emissions && *view.today.emissions > Emissions{};
  };
  const auto first = world_.WaitFor(all_of_it);
  const Emissions metered = *first->jobs.Find(job)->emissions;
  EXPECT_NEAR(first->today.emissions->grams, metered.grams, 1e-9 * metered.grams);
  EXPECT_LE(first->today.day.begin, World::kDay);
  EXPECT_GT(first->today.day.end, World::kDay);
  world_.Stop();
  world_.feed().Publish(World::kDay, {720, 720, 720});
  world_.Start();
  world_.WaitFor(all_of_it);
  std::this_thread::sleep_for(
      std::chrono::milliseconds{300});  // nothing else wakes the loop meanwhile
  world_.SkipTo(World::kDay + std::chrono::minutes{15});
  const auto settled = world_.WaitFor([&](const View& view) {
    return view.today.emissions && view.today.emissions->grams > 1.5 * metered.grams;
  });
  EXPECT_NEAR(settled->today.emissions->grams, 2 * metered.grams, 1e-9 * metered.grams);
  EXPECT_EQ(settled->today.energy, first->today.energy) << "counted once";
  world_.SkipTo(settled->today.day.end + std::chrono::minutes{1});
  world_.Submit(world_.Shell("exit 0"));
  const auto tomorrow = world_.WaitFor(
      [&](const View& view) { return view.today.day.begin == settled->today.day.end; });
  EXPECT_LT(tomorrow->today.energy, settled->today.energy);
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

TEST_F(ServiceTest, WhatAJobTookBeforeIsWhatItIsExpectedToTake) {
  world_.Start();
  Submit first = world_.Shell("sleep 0.3");
  first.duration_given = true;  // one second
  const auto submit = [&](const Submit& job) {
    const auto answer = world_.service().Ask(job).get();
    EXPECT_TRUE(answer);
    return world_.WaitForStage(answer ? answer->job : 0, Stage::kSucceeded);
  };
  EXPECT_EQ(submit(first).submission->job.duration, Duration{1000});
  // The hint weighs as much as one measurement. Afterwards there are two measurements.
  const Duration second = submit(first).submission->job.duration;
  EXPECT_LT(second, Duration{1000});
  EXPECT_GE(second, Duration{547}) << "the geometric mean of 1 s and at least 0.3 s";
  first.duration_given = false;
  const Duration third = submit(first).submission->job.duration;
  EXPECT_LT(third, Duration{1000});
  EXPECT_GE(third, Duration{300});
  first.submission.power_cap = core::PowerCap{.watts = 0, .percent = 70};
  first.submission.job.duration = Duration{1000};
  EXPECT_EQ(submit(first).submission->job.duration, Duration{1000})
      << "slower, nobody knows by how much";
  Submit other = world_.Shell("sleep 0.01");
  EXPECT_EQ(submit(other).submission->job.duration, Duration{1000}) << "another command";
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

// The service was killed after the end of the first job was stored and before the second job was
// released: that one is held, and waits for no job any more.
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
      if (after > 0) give(engine::JobControlled{submission.job.id, JobControl::kHold});
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

TEST_F(ServiceTest, AJobWithATrackerStaysOnThisMachine) {
  world_.adjust = [](ServiceOptions& options) {
    options.executor.cluster.sites.push_back({"norway", "NO", Pue{1}});
  };
  world_.Start();
  core::Submission tracked = world_.Shell("true");
  tracked.tracking.tensorboard = world_.directory() / "tb";
  const JobCard card = world_.WaitForStage(world_.Submit(tracked), Stage::kSucceeded);
  EXPECT_EQ(card.submission->job.sites, std::vector<std::string>{"here"});
  tracked.job.sites = {"norway"};
  const auto refused = world_.Answered(tracked);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().Message().find("trackers get nothing from other sites"),
            std::string::npos);
}

TEST_F(ServiceTest, APersonsHoldOutlivesARestartAndItsPredecessors) {
  world_.Start();
  const core::JobId first = world_.Submit(world_.Shell("true"));
  world_.WaitForStage(first, Stage::kSucceeded);
  core::Submission next = world_.Shell(kPausable);
  next.after = {first};
  const core::JobId second = world_.Submit(next);
  world_.WaitForStage(second, Stage::kRunning);
  ASSERT_TRUE(world_.Answered(ControlOf(second, JobControl::kHold)));
  world_.WaitForStage(second, Stage::kPaused);
  world_.Restart();
  const core::JobId other = world_.Submit(world_.Shell("true"));
  world_.WaitForStage(other, Stage::kSucceeded);
  EXPECT_EQ(world_.service().view()->jobs.Find(second)->explanation.stage, Stage::kPaused);
  ASSERT_TRUE(world_.Answered(ControlOf(second, JobControl::kNone)));
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
    ASSERT_TRUE(world_.Answered(ControlOf(id, JobControl::kHold)));
  world_.Restart();
  ASSERT_TRUE(world_.Answered(ControlOf(resumed, JobControl::kNone)));
  Touch("go");
  world_.WaitForStage(resumed, Stage::kSucceeded);
  EXPECT_GE(*world_.service().view()->jobs.Find(resumed)->first_start,
            *world_.service().view()->jobs.Find(first)->ended);
  EXPECT_EQ(world_.service().view()->jobs.Find(held)->explanation.stage, Stage::kWaiting);
  world_.Restart();
  EXPECT_TRUE(world_.service().view()->jobs.Find(held)->waits_for.empty());
  ASSERT_TRUE(world_.Answered(ControlOf(held, JobControl::kNone)));
  world_.WaitForStage(held, Stage::kSucceeded);
}

// The planned stretch on the chart ends when the explanation says.
TEST_F(ServiceTest, WhatRunsByAControlIsPlannedUntilItIsExpectedToEnd) {
  world_.adjust = [](ServiceOptions& options) { options.policy = "carbon-time"; };
  world_.Start();
  const core::JobId id = world_.Submit(world_.Shell(kPausable));
  world_.WaitForStage(id, Stage::kWaiting);
  ASSERT_TRUE(world_.Answered(ControlOf(id, JobControl::kNow)));
  const JobCard card = world_.WaitForStage(id, Stage::kRunning);
  ASSERT_TRUE(card.explanation.reason.end);
  ASSERT_EQ(card.planned.size(), 1u);
  EXPECT_EQ(card.planned[0].end, *card.explanation.reason.end);
}

TEST_F(ServiceTest, PausesResumesAndCancels) {
  world_.Start();
  const core::JobId id = world_.Submit(world_.Shell(kPausable));
  world_.WaitForStage(id, Stage::kRunning);
  ASSERT_TRUE(world_.Answered(ControlOf(id, JobControl::kHold)));
  EXPECT_EQ(world_.WaitForStage(id, Stage::kPaused).pauses, 1);
  ASSERT_TRUE(world_.Answered(ControlOf(id, JobControl::kNow)));
  EXPECT_EQ(world_.WaitForStage(id, Stage::kRunning).attempt, 2);
  ASSERT_TRUE(world_.Answered(Cancel{id}));
  world_.WaitForStage(id, Stage::kCancelled);
  EXPECT_FALSE(world_.Answered(Cancel{77}));
  EXPECT_FALSE(world_.Answered(ControlOf(77, JobControl::kNow)));
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

}  // namespace
}  // namespace ebb::service
