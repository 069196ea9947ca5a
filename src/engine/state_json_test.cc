#include "engine/state_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.h"
#include "engine/fields.h"
#include "engine/journal_json.h"
#include "plan/make_policy.h"
#include "testing/builders.h"

namespace ebb::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2023-05-01");
using Lines = std::vector<std::string>;

Lines SnapshotOf(const Engine& engine) {
  Lines lines;
  WriteSnapshot(engine, [&](std::string_view line) { lines.emplace_back(line); });
  return lines;
}

Result<Memory> Read(const Lines& lines) {
  SnapshotReader reader;
  for (const std::string& line : lines) EBB_RETURN_IF_ERROR(reader.Add(line));
  return reader.Finish();
}

core::SignalView ViewAt(Time now, Random& random) {
  const core::SignalIdentity identity{"Z", core::SignalKind::kMarginal, core::Boundary::kDirect,
                                      "test"};
  const Time hour = std::chrono::floor<hours>(now);
  std::vector<core::Sample> known, ahead;
  for (Time t = hour - hours{3}; t <= hour; t += hours{1})
    known.push_back({{t, t + hours{1}}, {random.Uniform(50, 500)}, core::SampleStatus::kEstimated});
  for (Time t = hour + hours{1}; t < hour + hours{30}; t += hours{1})
    ahead.push_back({{t, t + hours{1}}, {random.Uniform(50, 500)}, core::SampleStatus::kForecast});
  core::SignalView view;
  view.now = now;
  view.known = *core::IntensitySeries::Create(identity, known);
  view.forecast = {now, "a guess", *core::IntensitySeries::Create(identity, ahead), {}, {}};
  return view;
}

std::unique_ptr<Engine> MakeEngine(const std::string& policy) {
  Options options;
  options.ramp_limit_per_5_minutes = Power{350};
  return std::make_unique<Engine>(options, *plan::MakePolicy(policy, {}));
}

// A history of random events, in which everything happens that can happen.
class RandomLife {
 public:
  RandomLife(const std::string& policy, std::uint64_t seed)
      : engine_(MakeEngine(policy)), random_(seed) {
    core::Cluster cluster = testing::ClusterOf(3);
    cluster.sites.push_back({"there", "OTHER", {1.3}});
    cluster.pools.push_back({"frugal", 1, 2, 0.7, 0.5, {12}});
    Give(ClusterChanged{cluster});
  }

  void Step() {
    now_ += minutes{1 + static_cast<int>(random_.Below(40))};
    for (int events = static_cast<int>(random_.Below(4)); events >= 0; --events) Happen();
    const Decision decision = engine_->Decide(now_);
    records_.emplace_back(decision);
    for (const Command& command : decision.commands) Answer(command);
  }

  const Engine& engine() const { return *engine_; }
  const std::vector<JournalRecord>& records() const { return records_; }

 private:
  void Give(Fact fact) {
    Event event{now_, std::move(fact)};
    if (engine_->Apply(event)) records_.emplace_back(std::move(event));
  }
  void Happen() {
    const int site = static_cast<int>(random_.Below(2));
    switch (random_.Below(8)) {
      case 0:
        return Give(SignalObserved{site, ViewAt(now_, random_), now_ + hours{1}});
      case 1:
        return Give(SignalLost{site, "no \"route\"\n\xff", now_ + minutes{5}});
      case 2:
        return Give(JobCancelled{1 + static_cast<core::JobId>(random_.Below(40))});
      case 3:
        return Reconcile();
      case 4:
        return EndOne();
      default:
        return SubmitOne();
    }
  }
  void SubmitOne() {
    testing::AJob job(next_id_++);
    job.Submitted(now_).Runs(minutes{10 + static_cast<int>(random_.Below(300))});
    job.Wide(1 + static_cast<int>(random_.Below(2))).Draws(random_.Uniform(50, 200));
    if (random_.Below(2)) job.Pausable(minutes{2}, minutes{20});
    if (random_.Below(3) == 0) job.Within(hours{3 + static_cast<int>(random_.Below(20))});
    Give(JobSubmitted{job});
  }
  void EndOne() {
    const auto& live = engine_->state().live;
    if (live.empty()) return;
    const LiveJob& job = *live[random_.Below(live.size())];
    if (job.stage != Stage::kRunning) return;
    const auto phase = static_cast<JobPhase>(1 + random_.Below(3));
    Give(JobReport{job.job.id, job.attempt, phase, job.pool, now_, 3, "by chance"});
  }
  // The executor knows some of the jobs.
  void Reconcile() {
    ExecutorObserved observed;
    for (const auto& live : engine_->state().live)
      if (HoldsDevices(live->stage) && random_.Below(5) != 0)
        observed.reports.push_back(
            {live->job.id, live->attempt, JobPhase::kRunning, live->pool, now_, 0, ""});
    Give(std::move(observed));
  }
  void Answer(const Command& command) {
    if (random_.Below(6) == 0) return;  // the report is lost
    if (const auto* start = std::get_if<StartJob>(&command)) {
      const bool fails = random_.Below(8) == 0;
      Give(JobReport{start->job, start->attempt,
                     fails ? JobPhase::kStartFailed : JobPhase::kRunning, start->pool, now_, 0,
                     ""});
    } else if (const auto* pause = std::get_if<PauseJob>(&command)) {
      Give(JobReport{pause->job, pause->attempt, JobPhase::kPaused, 0, now_, 0, ""});
    } else {
      const auto& cancel = std::get<CancelJob>(command);
      Give(JobReport{cancel.job, cancel.attempt, JobPhase::kCancelled, 0, now_, 0, ""});
    }
  }

  std::unique_ptr<Engine> engine_;
  Random random_;
  Time now_ = kNow;
  core::JobId next_id_ = 1;
  std::vector<JournalRecord> records_;
};

class SnapshotLaw : public ::testing::TestWithParam<const char*> {};

TEST_P(SnapshotLaw, GoingOnFromASnapshotDecidesWhatTheWholeHistoryDecides) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RandomLife life(GetParam(), seed);
    std::vector<std::pair<std::size_t, Lines>> snapshots;
    for (int step = 0; step < 40; ++step) {
      life.Step();
      if (step % 13 == 0) snapshots.emplace_back(life.records().size(), SnapshotOf(life.engine()));
    }
    const Lines end = SnapshotOf(life.engine());
    ASSERT_GT(life.engine().state().ended.size(), 0u);
    for (const auto& [records, lines] : snapshots) {
      auto memory = Read(lines);
      ASSERT_TRUE(memory) << memory.error().Message();
      const auto engine = MakeEngine(GetParam());
      engine->Restore(*std::move(memory));
      EXPECT_EQ(SnapshotOf(*engine), lines);
      const auto replayed = Replay(std::span(life.records()).subspan(records), *engine);
      ASSERT_TRUE(replayed) << "seed " << seed << ": " << replayed.error().Message();
      EXPECT_EQ(SnapshotOf(*engine), end) << "seed " << seed;
    }
  }
}

// What holds devices, and what was promised about it, is the same though nothing was planned.
TEST_P(SnapshotLaw, AdoptedDecisionsLeaveTheSameJobsInTheSameStages) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RandomLife life(GetParam(), seed);
    for (int step = 0; step < 40; ++step) life.Step();
    const auto engine = MakeEngine(GetParam());
    for (const JournalRecord& record : life.records()) {
      const auto* event = std::get_if<Event>(&record);
      const auto taken =
          event ? engine->Reapply(*event) : engine->Adopt(std::get<Decision>(record));
      ASSERT_TRUE(taken) << taken.error().Message();
    }
    const State& wanted = life.engine().state();
    const State& state = engine->state();
    ASSERT_EQ(state.live.size(), wanted.live.size());
    for (std::size_t i = 0; i < state.live.size(); ++i)
      EXPECT_EQ(ToFieldText(*state.live[i]), ToFieldText(*wanted.live[i])) << "seed " << seed;
    ASSERT_EQ(state.ended.size(), wanted.ended.size());
    EXPECT_EQ(state.now, wanted.now);
    // It plans anew, and the cluster holds what it decides.
    engine->Decide(state.now + minutes{1});
    for (const int free : engine->state().FreeDevices()) EXPECT_GE(free, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, SnapshotLaw,
                         ::testing::Values("run-now", "lowest-slots", "carbon-time", "planner"),
                         [](const auto& value) {
                           std::string name = value.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(SnapshotTest, AdoptRefusesWhatItDoesNotKnowAndChangesNothing) {
  const auto engine = MakeEngine("run-now");
  ASSERT_TRUE(engine->Apply({kNow, ClusterChanged{testing::ClusterOf(1)}}));
  ASSERT_TRUE(engine->Apply({kNow, JobSubmitted{testing::AJob(1).Submitted(kNow)}}));
  const Lines before = SnapshotOf(*engine);
  EXPECT_FALSE(engine->Adopt({kNow, {StartJob{1, 1, 0}, StartJob{2, 1, 0}}, {}, kNow}));
  EXPECT_FALSE(engine->Adopt({kNow, {StartJob{1, 1, 7}}, {}, kNow}));
  EXPECT_EQ(SnapshotOf(*engine), before);
}

TEST(SnapshotTest, DamagedSnapshotsAreRefusedWithAReason) {
  RandomLife life("lowest-slots", 3);
  for (int step = 0; step < 30; ++step) life.Step();
  const Lines whole = SnapshotOf(life.engine());
  ASSERT_TRUE(Read(whole));
  const auto refused = [&](const char* what, auto damage) {
    Lines lines = whole;
    damage(lines);
    const auto read = Read(lines);
    ASSERT_FALSE(read) << what;
    EXPECT_FALSE(read.error().what.empty());
  };
  refused("cut short", [](Lines& lines) { lines.pop_back(); });
  refused("too long", [](Lines& lines) { lines.push_back(lines.back()); });
  refused("empty", [](Lines& lines) { lines.clear(); });
  refused("twice", [](Lines& lines) { lines[2] = lines[1]; });
  refused("not JSON", [](Lines& lines) { lines[1].pop_back(); });
  refused("another format", [](Lines& lines) { lines[0].replace(lines[0].find(":1,"), 3, ":9,"); });
  refused("no pools",
          [](Lines& lines) { lines[0].replace(lines[0].find("\"pools\""), 7, "\"ponds\""); });
}

TEST(FieldText, NumbersAndTextsAreExact) {
  Random random(5);
  std::vector<double> numbers{0.0,       -0.0,
                              5e-324,    1.7976931348623157e308,
                              1.0 / 3.0, std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 2000; ++i)
    numbers.push_back(random.Normal() * std::pow(10.0, random.Uniform(-300, 300)));
  const auto read = FromFieldText<std::vector<double>>(ToFieldText(numbers), "test");
  ASSERT_TRUE(read);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ((*read)[i], numbers[i]);
    EXPECT_EQ(std::signbit((*read)[i]), std::signbit(numbers[i]));
  }
  const std::vector<std::string> texts{"", "plain", "\"\\\n\t\x01", "gr\xc3\xbcn", "\xe2\x82\xac"};
  EXPECT_EQ(*FromFieldText<std::vector<std::string>>(ToFieldText(texts), "test"), texts);
}

TEST(FieldText, ASubmissionReadsBackTheSame) {
  core::Submission submission;
  submission.job = testing::AJob(7).Submitted(kNow).Pausable(minutes{2}).OfTier("2");
  submission.job.overrides = {{"m", 1.05, 1.8}};
  submission.command = {"python", "train.py", "--name", "a \"b\""};
  submission.working_directory = "/home/me";
  submission.environment = {{"A", "1"}, {"B", ""}};
  submission.after = {3, 4};
  submission.run_limit = hours{3};
  submission.freeze = true;
  submission.budget.energy = Energy::Microjoules(123456789012345);
  submission.key = "k";
  submission.recurring = "nightly";
  const std::string text = ToFieldText(submission);
  const auto read = FromFieldText<core::Submission>(text, "job 7");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(ToFieldText(*read), text);
  EXPECT_EQ(read->environment, submission.environment);
  EXPECT_EQ(read->budget.energy, submission.budget.energy);
  EXPECT_EQ(read->job.pause_overhead, minutes{2});
}

TEST(FieldText, AFieldOfAnotherTypeIsNamed) {
  for (const char* text :
       {R"({"job":{"id":"x"}})", R"({"job":3})", R"({"command":"rm"})", R"({"freeze":1})",
        R"({"environment":[["a"]]})", R"({"after":[1.5]})", R"({"job":{"devices":5000000000}})",
        R"({"job":{"power_w":"much"}})", "[]", ""}) {
    const auto read = FromFieldText<core::Submission>(text, "job 7");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().where, "job 7");
  }
}

}  // namespace
}  // namespace ebb::engine
