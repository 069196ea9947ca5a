// The engine runs elastic jobs at the planned width, and changes it by a pause and a start.

#include <gtest/gtest.h>

#include "engine/engine_for_test.h"
#include "engine/move.h"
#include "engine/state_json.h"

namespace ebb::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AJob;
using Speeds = std::vector<core::WidthSpeed>;

// A policy that runs all jobs at once on so many devices, in pieces of this length.
class Wide final : public plan::Policy {
 public:
  explicit Wide(const int& devices, Duration length = hours{1})
      : devices_(devices), length_(length) {}
  std::string_view name() const override { return "wide"; }
  void Update(const plan::Problem& problem, const plan::Change&,
              plan::Schedule& schedule) const override {
    for (std::size_t i = 0; i < problem.jobs.size(); ++i) {
      plan::JobPlan& plan = schedule.jobs[i];
      plan.job = problem.jobs[i].job->id;
      plan.run_now = true;
      plan.pool = 0;
      plan.devices = devices_;
      plan.segments = {{0, {problem.now, problem.now + length_}, devices_}};
    }
  }

 private:
  const int& devices_;
  Duration length_;
};

core::SignalView AlwaysHundred() {
  core::SignalView view;
  view.now = kNow;
  view.known = *core::IntensitySeries::Create({}, {{{kNow, kNow + hours{100}}, {100}}});
  return view;
}

class WidthChangeTest : public EngineTest {
 protected:
  void MakeWide(bool changes_widths, Duration pieces = hours{1}) {
    Options options;
    options.changes_widths = changes_widths;
    engine_ = std::make_unique<Engine>(options, std::make_unique<Wide>(devices_, pieces));
    Apply(kNow, ClusterChanged{testing::ClusterOf(4)});
    core::Job job = AJob(1).Submitted(kNow).Runs(hours{8}).Pausable({}, minutes{10});
    job.speedup = {{2, 1.5}, {4, 2}};
    Submit(job);
  }
  std::vector<Command> CommandsAt(Time at) { return engine_->Decide(at).commands; }

  int devices_ = 2;
};

TEST_F(WidthChangeTest, AJobStartsAtThePlannedWidthAndIsAsFastAsThere) {
  MakeWide(true);
  EXPECT_EQ(CommandsAt(kNow), (std::vector<Command>{StartJob{1, 1, 0, 2}}));
  Report(1, JobPhase::kRunning, kNow);
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{2});
  const LiveJob& live = *engine_->state().live[0];
  EXPECT_EQ(RemainingAt(live, engine_->state().cluster, kNow + hours{2}), hours{5});
}

TEST_F(WidthChangeTest, AnotherWidthIsAPauseAndAStart) {
  MakeWide(true);
  CommandsAt(kNow);
  Report(1, JobPhase::kRunning, kNow);
  devices_ = 4;
  Apply(kNow + minutes{5}, SignalObserved{0, {}, kNow + hours{1}});
  EXPECT_TRUE(CommandsAt(kNow + minutes{5}).empty()) << "its piece is too short yet";
  Apply(kNow + minutes{20}, SignalObserved{0, {}, kNow + hours{1}});
  EXPECT_EQ(CommandsAt(kNow + minutes{20}), (std::vector<Command>{PauseJob{1, 1}}));
  Report(1, JobPhase::kPaused, kNow + minutes{20});
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{4});
  EXPECT_EQ(CommandsAt(kNow + minutes{20}), (std::vector<Command>{StartJob{1, 2, 0, 4}}));
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{0});
}

// A job that paused for devices that others still have would start as narrow as before, and pause
// again: for ever.
TEST_F(WidthChangeTest, AWiderWidthWaitsForItsDevices) {
  MakeWide(true);
  Submit(AJob(2).Submitted(kNow).Runs(hours{8}).Wide(2));
  EXPECT_EQ(CommandsAt(kNow), (std::vector<Command>{StartJob{1, 1, 0, 2}, StartJob{2, 1, 0}}));
  Report(1, JobPhase::kRunning, kNow);
  Report(2, JobPhase::kRunning, kNow);
  devices_ = 4;
  Apply(kNow + minutes{20}, SignalObserved{0, {}, kNow + hours{1}});
  EXPECT_TRUE(CommandsAt(kNow + minutes{20}).empty());
  Report(2, JobPhase::kSucceeded, kNow + minutes{30});
  EXPECT_EQ(CommandsAt(kNow + minutes{30}), (std::vector<Command>{PauseJob{1, 1}}));
}

// Alone it would rather stay: narrow it takes so long that nothing is saved.
TEST_F(WidthChangeTest, AJobGetsNarrowerIfThePlanNeedsItsDevices) {
  MakeWide(true, hours{48});
  Apply(kNow, SignalObserved{0, AlwaysHundred(), kNow + hours{100}});
  devices_ = 4;
  CommandsAt(kNow);
  Report(1, JobPhase::kRunning, kNow);
  devices_ = 2;
  const Time later = kNow + hours{1};
  Apply(later, SignalObserved{0, AlwaysHundred(), kNow + hours{100}});
  EXPECT_TRUE(CommandsAt(later).empty()) << "nobody needs them";
  Submit(AJob(2).Submitted(later).Runs(hours{8}).Wide(2));
  Apply(later, Tick{});
  EXPECT_EQ(CommandsAt(later), (std::vector<Command>{PauseJob{1, 1}}));
  Report(1, JobPhase::kPaused, later);
  EXPECT_EQ(CommandsAt(later), (std::vector<Command>{StartJob{1, 2, 0, 2}, StartJob{2, 1, 0}}));
}

TEST_F(WidthChangeTest, AnAttemptWorksForAMinuteWhateverThePolicyWants) {
  MakeWide(true);
  core::Job job = AJob(2).Submitted(kNow).Runs(hours{8}).Pausable(minutes{3}, {});
  job.speedup = {{2, 1.5}};
  Submit(job);
  CommandsAt(kNow);
  Report(2, JobPhase::kRunning, kNow);
  devices_ = 1;
  Apply(kNow + seconds{59}, SignalObserved{0, {}, kNow + hours{1}});
  const Decision early = engine_->Decide(kNow + seconds{59});
  EXPECT_TRUE(early.commands.empty());
  EXPECT_EQ(early.wake_at, kNow + minutes{1});
  const Time paused = kNow + minutes{1};
  EXPECT_EQ(CommandsAt(paused), (std::vector<Command>{PauseJob{2, 1}}));
  Report(2, JobPhase::kPaused, paused);
  EXPECT_EQ(CommandsAt(paused), (std::vector<Command>{StartJob{2, 2, 0, 1}}));
  Report(2, JobPhase::kRunning, paused, 2);
  devices_ = 2;
  Apply(paused + minutes{3}, SignalObserved{0, {}, kNow + hours{1}});
  EXPECT_TRUE(CommandsAt(paused + minutes{3}).empty()) << "it has only resumed";
  EXPECT_EQ(CommandsAt(paused + minutes{4}), (std::vector<Command>{PauseJob{2, 2}}));
}

// Slurm may refuse a width. The plan of that moment still has it.
TEST_F(WidthChangeTest, AWidthThatAnAttemptDidNotGetIsNotAskedForAgain) {
  MakeWide(true);
  devices_ = 4;
  EXPECT_EQ(CommandsAt(kNow), (std::vector<Command>{StartJob{1, 1, 0, 4}}));
  JobReport running{1, 1, JobPhase::kRunning, 0, kNow, 0, ""};
  running.devices = 4;
  Apply(kNow, running);
  running.devices = 1;  // the first report was about what was asked for
  running.since = kNow + minutes{1};
  running.detail = "no node has four";
  Apply(running.since, running);
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{3});
  const LiveJob& live = *engine_->state().live[0];
  EXPECT_EQ(RemainingAt(live, engine_->state().cluster, kNow + minutes{121}), hours{6});
  ASSERT_EQ(live.job.speedup.size(), 1u) << "2 devices were not refused, but 4 were";
  EXPECT_EQ(live.job.speedup.front().devices, 2);
  Apply(kNow + hours{1}, SignalObserved{0, {}, kNow + hours{2}});
  EXPECT_TRUE(CommandsAt(kNow + hours{1}).empty()) << "it goes on as it runs";
}

// A limit can change without any event.
TEST_F(WidthChangeTest, ARefusedWidthIsAskedForAgainAfterFourHoursAndLaterAfterEight) {
  MakeWide(true);
  devices_ = 4;
  CommandsAt(kNow);
  const auto refuse = [&](int attempt, Time at) {
    JobReport running{1, attempt, JobPhase::kRunning, 0, at, 0, "a limit"};
    running.devices = 1;
    Apply(at, running);
  };
  const auto widths = [&] { return engine_->state().live[0]->job.speedup.size(); };
  refuse(1, kNow);
  EXPECT_EQ(widths(), 1u);
  devices_ = 1;
  EXPECT_EQ(engine_->Decide(kNow).wake_at, kNow + hours{4});
  Apply(kNow + hours{1}, SpeedupLearned{1, {{2, 1.25}, {4, 1.75}}});
  EXPECT_EQ(engine_->state().live[0]->job.learned_speedup, (Speeds{{2, 1.25}}));
  CommandsAt(kNow + hours{4} - seconds{1});
  EXPECT_EQ(widths(), 1u);
  devices_ = 4;
  EXPECT_EQ(CommandsAt(kNow + hours{4}), (std::vector<Command>{PauseJob{1, 1}}));
  EXPECT_EQ(engine_->state().live[0]->job.speedup, (Speeds{{2, 1.5}, {4, 2}}));
  EXPECT_EQ(engine_->state().live[0]->job.learned_speedup, (Speeds{{2, 1.25}, {4, 1.75}}));
  Report(1, JobPhase::kPaused, kNow + hours{4});
  EXPECT_EQ(CommandsAt(kNow + hours{4}), (std::vector<Command>{StartJob{1, 2, 0, 4}}));
  refuse(2, kNow + hours{4});
  EXPECT_EQ(widths(), 1u);
  Apply(kNow + hours{11}, Tick{});
  CommandsAt(kNow + hours{11});
  EXPECT_EQ(widths(), 1u) << "twice as long after the second time";
  CommandsAt(kNow + hours{12});
  EXPECT_EQ(widths(), 2u);
}

TEST_F(WidthChangeTest, RefusedWidthsAreInSnapshotsAndEndWithTheJob) {
  MakeWide(true);
  devices_ = 4;
  CommandsAt(kNow);
  JobReport running{1, 1, JobPhase::kRunning, 0, kNow, 0, "a limit"};
  running.devices = 1;
  Apply(kNow, running);
  SnapshotReader reader;
  WriteSnapshot(*engine_, [&](std::string_view line) { EXPECT_TRUE(reader.Add(line)); });
  const auto memory = reader.Finish();
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->state.refused_widths, engine_->state().refused_widths);
  EXPECT_EQ(memory->state.refused_widths.size(), 1u);
  Report(1, JobPhase::kSucceeded, kNow + hours{1});
  EXPECT_TRUE(engine_->state().refused_widths.empty());
}

TEST_F(WidthChangeTest, AJobThatStartedByItselfHasTheWidthThatIsReported) {
  MakeWide(true);
  JobReport running{1, 1, JobPhase::kRunning, 0, kNow, 0, ""};
  running.devices = 2;
  Apply(kNow, running);
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{2});
  EXPECT_EQ(engine_->state().live[0]->job.speedup.size(), 2u) << "no width was refused";
  running.attempt = 2;
  running.devices = 3;
  Apply(kNow, running);
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{2}) << "3 is none of its widths";
}

TEST_F(WidthChangeTest, WithoutAnExecutorThatChangesWidthsAJobHasItsOwn) {
  MakeWide(false);
  EXPECT_EQ(CommandsAt(kNow), (std::vector<Command>{StartJob{1, 1, 0}}));
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{3});
}

// Another life of the executor has started it at a width that this engine does not remember.
TEST_F(WidthChangeTest, TheReportedWidthOfAnUnknownAttemptCounts) {
  MakeWide(true);
  JobReport known{1, 3, JobPhase::kRunning, 0, kNow, 0, ""};
  known.devices = 4;
  Apply(kNow, known);
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{0});
  const LiveJob& live = *engine_->state().live[0];
  EXPECT_EQ(RemainingAt(live, engine_->state().cluster, kNow + hours{1}), hours{6});
}

TEST_F(WidthChangeTest, AWidthThatSomebodyElseChangesCountsFromThenOn) {
  MakeWide(true);
  CommandsAt(kNow);
  Report(1, JobPhase::kRunning, kNow);
  JobReport wider{1, 1, JobPhase::kRunning, 0, kNow + hours{2}, 0, ""};
  wider.devices = 4;
  Apply(kNow + hours{2}, wider);
  EXPECT_EQ(engine_->state().FreeDevices(), std::vector<int>{0});
  const auto left = [&] {
    return RemainingAt(*engine_->state().live[0], engine_->state().cluster, kNow + hours{3});
  };
  EXPECT_EQ(left(), hours{3}) << "two hours at 1.5, one at 2";
  wider.devices = 3;
  wider.since = kNow + hours{3};
  Apply(kNow + hours{3}, wider);
  EXPECT_EQ(engine_->state().live[0]->devices, 4) << "its speed on three devices is unknown";
  EXPECT_EQ(left(), hours{3});
}

TEST_F(WidthChangeTest, LearnedSpeedsCountFromTheBeginningOfTheAttempt) {
  MakeWide(true);
  CommandsAt(kNow);
  Report(1, JobPhase::kRunning, kNow);
  Apply(kNow + hours{1}, SpeedupLearned{1, {{2, 1.25}, {4, 1.5}}});
  const LiveJob& live = *engine_->state().live[0];
  EXPECT_EQ(live.job.speedup[0].speed, 1.5) << "the given speeds stay";
  EXPECT_EQ(RemainingAt(live, engine_->state().cluster, kNow + hours{2}), minutes{330});
  const auto& changed = engine_->change().jobs;
  EXPECT_NE(std::ranges::find(changed, 1), changed.end()) << "the policy is asked again";
}

TEST_F(WidthChangeTest, LearnedSpeedsAreRefusedUnlessTheyAreOfTheJobsWidths) {
  MakeWide(true);
  for (const std::vector<core::WidthSpeed>& wrong :
       {std::vector<core::WidthSpeed>{{2, 1.5}}, {{2, 1.5}, {4, 1.2}}, {{2, 1.5}, {3, 2}}})
    EXPECT_FALSE(engine_->Apply({kNow, SpeedupLearned{1, wrong}}));
  EXPECT_TRUE(engine_->Apply({kNow, SpeedupLearned{9, {{2, 1.5}}}})) << "such a job has ended";
  MakeWide(false);
  EXPECT_TRUE(engine_->Apply({kNow, SpeedupLearned{1, {{2, 1.2}, {4, 1.5}}}}));
  EXPECT_TRUE(engine_->state().live[0]->job.learned_speedup.empty()) << "it keeps its own width";
}

TEST(NewWidth, HasToSaveTwoPercent) {
  State state;
  state.now = kNow;
  state.cluster = testing::ClusterOf(4);
  state.signals.resize(1);
  state.signals[0].view = AlwaysHundred();
  LiveJob live;
  live.job = AJob(1).Runs(hours{8}).Draws(100).Pausable();
  live.job.speedup = {{2, 1.5}, {4, 2}};
  live.stage = Stage::kRunning;
  live.pool = 0;
  live.devices = 2;
  live.remaining = live.job.duration;
  live.segment_begin = kNow;
  plan::JobPlan plan;
  plan.run_now = true;
  plan.pool = 0;
  plan.devices = 1;
  // Two devices take 1067 Wh for the rest, and one takes 800.
  plan.segments = {{0, {kNow, kNow + hours{8}}, 1}};
  EXPECT_TRUE(GoesOnAtAnotherWidth(live, plan, kNow));
  EXPECT_TRUE(IsWorthANewWidth(state, live, plan));
  plan.segments[0].time.end = kNow + minutes{630};
  EXPECT_FALSE(IsWorthANewWidth(state, live, plan));
  plan.devices = 2;
  EXPECT_FALSE(GoesOnAtAnotherWidth(live, plan, kNow));
  plan.devices = 1;
  plan.segments[0].time.begin = kNow + minutes{1};
  EXPECT_FALSE(GoesOnAtAnotherWidth(live, plan, kNow)) << "not yet";
}

}  // namespace
}  // namespace ebb::engine
