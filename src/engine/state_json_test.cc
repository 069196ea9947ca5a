#include "engine/state_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/fields.h"
#include "engine/journal_json.h"
#include "engine/random_life_for_test.h"
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

Lines LinesOf(const SnapshotCopy& copy) {
  Lines lines;
  EXPECT_TRUE(copy.Write([&](std::string_view line) {
    lines.emplace_back(line);
    return true;
  }));
  return lines;
}

Result<Memory> Read(const Lines& lines) {
  SnapshotReader reader;
  for (const std::string& line : lines) EBB_RETURN_IF_ERROR(reader.Add(line));
  return reader.Finish();
}

bool EndsAJob(const JournalRecord& record) {
  const auto* decision = std::get_if<Decision>(&record);
  return decision && std::any_of(decision->explanations.begin(), decision->explanations.end(),
                                 [](const auto& told) { return HasEnded(told.stage); });
}

class SnapshotLaw : public ::testing::TestWithParam<const char*> {};

TEST_P(SnapshotLaw, GoingOnFromASnapshotDecidesWhatTheWholeHistoryDecides) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto writer = MakeEngineForTest(GetParam());
    std::vector<JournalRecord> history;
    RandomLife life(*writer, seed, [&](const JournalRecord& record) { history.push_back(record); });
    std::vector<std::pair<std::size_t, Lines>> snapshots;
    for (int step = 0; step < 40; ++step) {
      life.Step();
      if (step % 13 == 0) snapshots.emplace_back(history.size(), SnapshotOf(*writer));
    }
    const Lines end = SnapshotOf(*writer);
    ASSERT_TRUE(std::any_of(history.begin(), history.end(), EndsAJob));
    for (const auto& [records, lines] : snapshots) {
      auto memory = Read(lines);
      ASSERT_TRUE(memory) << memory.error().Message();
      const auto engine = MakeEngineForTest(GetParam());
      engine->Restore(*std::move(memory));
      EXPECT_EQ(SnapshotOf(*engine), lines);
      const auto replayed = Replay(std::span(history).subspan(records), *engine);
      ASSERT_TRUE(replayed) << "seed " << seed << ": " << replayed.error().Message();
      EXPECT_EQ(SnapshotOf(*engine), end) << "seed " << seed;
    }
  }
}

// An older version also recorded explanations in which only numbers changed.
TEST_P(SnapshotLaw, AJournalThatRecordsAllNumbersIsReplayed) {
  const auto writer = MakeEngineForTest(GetParam());
  std::vector<JournalRecord> history;
  bool has_restated = false;
  RandomLife life(*writer, 1, [&](const JournalRecord& record) {
    history.push_back(record);
    auto* decision = std::get_if<Decision>(&history.back());
    if (!decision || decision->restated.empty()) return;
    has_restated = true;
    for (const Explanation& explanation : std::exchange(decision->restated, {})) {
      auto& all = decision->explanations;
      all.insert(std::upper_bound(all.begin(), all.end(), explanation,
                                  [](const auto& a, const auto& b) { return a.job < b.job; }),
                 explanation);
    }
  });
  for (int step = 0; step < 40; ++step) life.Step();
  EXPECT_TRUE(has_restated);
  const auto engine = MakeEngineForTest(GetParam());
  const auto replayed = Replay(history, *engine);
  EXPECT_TRUE(replayed) << replayed.error().Message();
}

// A replay works out the plans that were worked out elsewhere, and they are the same. This includes
// plans that nobody waited for and plans that a change of the cluster made useless.
TEST(SnapshotTest, PlansMadeBesideAreTheSameInAReplayThatMakesThemItself) {
  std::map<Planning, int> made;
  int cut_off = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto writer = MakeEngineForTest("planner");
    std::vector<JournalRecord> history;
    RandomLife life(*writer, seed, [&](const JournalRecord& record) { history.push_back(record); });
    life.PlanBeside(MakePolicyForTest("planner"));
    std::vector<std::pair<std::size_t, Lines>> snapshots;
    for (int step = 0; step < 60; ++step) {
      life.Step();
      if (!writer->question()) snapshots.emplace_back(history.size(), SnapshotOf(*writer));
    }
    for (const JournalRecord& record : history)
      if (const auto* decision = std::get_if<Decision>(&record)) ++made[decision->planning];
    const Lines end = SnapshotOf(*writer);
    // The life ends while a plan is worked out: the next engine knows no question.
    cut_off += writer->question() != nullptr;
    const auto next_life = MakeEngineForTest("planner");
    for (const JournalRecord& record : history) {
      const auto* event = std::get_if<Event>(&record);
      ASSERT_TRUE(event ? next_life->Reapply(*event)
                        : next_life->Adopt(std::get<Decision>(record)));
    }
    EXPECT_EQ(JobsText(next_life->state()), JobsText(writer->state()));
    EXPECT_FALSE(next_life->question());
    next_life->Decide(next_life->state().now + minutes{1}, Planning::kTake);
    for (const plan::JobPlan& plan : next_life->state().schedule.jobs) EXPECT_NE(plan.job, 0);
    for (std::size_t i = 0; i < snapshots.size(); i += 7) {
      const auto& [records, lines] = snapshots[i];
      const auto engine = MakeEngineForTest("planner");
      engine->Restore(*Read(lines));
      const auto replayed = Replay(std::span(history).subspan(records), *engine);
      ASSERT_TRUE(replayed) << "seed " << seed << ": " << replayed.error().Message();
      EXPECT_EQ(SnapshotOf(*engine), end) << "seed " << seed;
    }
  }
  EXPECT_GT(cut_off, 0);
  for (const auto way : {Planning::kWhole, Planning::kBeside, Planning::kAsk, Planning::kTake,
                         Planning::kFollow, Planning::kPlace})
    EXPECT_GT(made[way], 20);
}

// The jobs that hold devices, and the explanations given, are the same although the engine did not
// plan.
TEST_P(SnapshotLaw, AdoptedDecisionsLeaveTheSameJobsInTheSameStages) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto writer = MakeEngineForTest(GetParam());
    std::vector<JournalRecord> history;
    RandomLife life(*writer, seed, [&](const JournalRecord& record) { history.push_back(record); });
    for (int step = 0; step < 40; ++step) life.Step();
    const auto engine = MakeEngineForTest(GetParam());
    for (const JournalRecord& record : history) {
      const auto* event = std::get_if<Event>(&record);
      const auto taken =
          event ? engine->Reapply(*event) : engine->Adopt(std::get<Decision>(record));
      ASSERT_TRUE(taken) << taken.error().Message();
    }
    const State& wanted = writer->state();
    const State& state = engine->state();
    EXPECT_EQ(JobsText(state), JobsText(wanted)) << "seed " << seed;
    EXPECT_EQ(state.now, wanted.now);
    // The adopting engine plans anew, and the cluster has room for its decisions.
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

TEST(SnapshotTest, RentsGoOn) {
  const auto engine = MakeEngineForTest("planner");
  RandomLife life(*engine, 2, [](const JournalRecord&) {});
  int carried = 0;
  for (int step = 0; step < 20; ++step) {
    life.Step();
    const auto memory = Read(SnapshotOf(*engine));
    ASSERT_TRUE(memory) << memory.error().Message();
    EXPECT_EQ(memory->state.schedule.rents, engine->state().schedule.rents);
    carried += memory->state.schedule.rents ? 1 : 0;
  }
  EXPECT_GT(carried, 5);
}

TEST(SnapshotTest, RentsThatMeanNothingAreRefused) {
  const auto engine = MakeEngineForTest("run-now");
  engine->Decide(kNow);
  Lines lines = SnapshotOf(*engine);
  const std::string changes = R"(,"change":)";
  const auto at = lines.front().find(changes);
  ASSERT_NE(at, std::string::npos);
  for (const char* rents : {R"({"begin":0,"step":0,"by_pool":[],"prices":[]})",
                            R"({"begin":0,"step":60000,"by_pool":[[1]],"prices":[]})",
                            R"({"begin":0,"step":60000,"by_pool":[[1]],"prices":[[1,2]]})"}) {
    Lines bad = lines;
    bad.front().insert(at, std::string(R"(,"rents":)") + rents);
    const auto memory = Read(bad);
    ASSERT_FALSE(memory);
    EXPECT_NE(memory.error().Message().find("rents"), std::string::npos)
        << memory.error().Message();
  }
}

// A lent copy stays as it was, whatever the engine does meanwhile.
TEST(SnapshotTest, ACopyStaysWhatTheEngineWas) {
  const auto engine = MakeEngineForTest("planner");
  RandomLife life(*engine, 4, [](const JournalRecord&) {});
  for (int step = 0; step < 30; ++step) {
    for (int i = 0; i < 3; ++i) life.Step();
    const Lines before = SnapshotOf(*engine);
    const SnapshotCopy copy(*engine);
    EXPECT_EQ(LinesOf(copy), before);
    life.Step();
    life.Step();
    EXPECT_EQ(LinesOf(copy), before);
  }
  const SnapshotCopy copy(*engine);
  int lines = 0;
  EXPECT_FALSE(copy.Write([&](std::string_view) { return ++lines < 3; }));
  EXPECT_EQ(lines, 3);
}

TEST(SnapshotTest, AdoptRefusesWhatItDoesNotKnowAndChangesNothing) {
  const auto engine = MakeEngineForTest("run-now");
  ASSERT_TRUE(engine->Apply({kNow, ClusterChanged{testing::ClusterOf(1)}}));
  ASSERT_TRUE(engine->Apply({kNow, JobSubmitted{testing::AJob(1).Submitted(kNow)}}));
  const Lines before = SnapshotOf(*engine);
  EXPECT_FALSE(engine->Adopt({kNow, {StartJob{1, 1, 0}, StartJob{2, 1, 0}}, {}, kNow}));
  EXPECT_FALSE(engine->Adopt({kNow, {StartJob{1, 1, 7}}, {}, kNow}));
  EXPECT_EQ(SnapshotOf(*engine), before);
}

TEST(SnapshotTest, AJobThatAnOutageStoppedStaysStoppedWhenItsDecisionIsAdopted) {
  core::Job job = testing::AJob(1).Submitted(kNow).Within(hours{9});
  job.threshold = Intensity{10};
  job.on_outage = core::OnOutage::kStop;
  const std::vector<Event> events{{kNow, ClusterChanged{testing::ClusterOf(1)}},
                                  {kNow, JobSubmitted{job}},
                                  {kNow, SignalLost{0, "no route", kNow + minutes{1}}}};
  const auto writer = MakeEngineForTest("threshold"), reader = MakeEngineForTest("threshold");
  for (const Event& event : events) {
    ASSERT_TRUE(writer->Apply(event));
    ASSERT_TRUE(reader->Reapply(event));
  }
  ASSERT_TRUE(reader->Adopt(writer->Decide(kNow)));
  EXPECT_EQ(writer->state().ended.at(1).stage, Stage::kCancelled);
  EXPECT_EQ(reader->state().ended.at(1).stage, Stage::kCancelled);
  EXPECT_TRUE(reader->state().idle());
}

TEST(SnapshotTest, DamagedSnapshotsAreRefusedWithAReason) {
  const auto writer = MakeEngineForTest("lowest-slots");
  RandomLife life(*writer, 3, [](const JournalRecord&) {});
  for (int step = 0; step < 30; ++step) life.Step();
  const Lines whole = SnapshotOf(*writer);
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
  submission.time_limit = hours{3};
  submission.job.freeze = true;
  submission.budget.energy = Energy::Microjoules(123456789012345);
  submission.key = "k";
  submission.recurring = "nightly";
  submission.parameters = {{"lr", "1e-04"}, {"a \"b\"", ""}};
  const std::string text = ToFieldText(submission);
  const auto read = FromFieldText<core::Submission>(text, "job 7");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(ToFieldText(*read), text);
  EXPECT_EQ(read->environment, submission.environment);
  EXPECT_EQ(read->budget.energy, submission.budget.energy);
  EXPECT_EQ(read->job.pause_cost, minutes{2});
  EXPECT_EQ(read->parameters, submission.parameters);
}

TEST(FieldText, OlderKeysOfASubmissionAreReadAndNotWritten) {
  core::Submission submission;
  submission.job = testing::AJob(7).Submitted(kNow).Pausable(minutes{2});
  submission.time_limit = hours{3};
  std::string text = ToFieldText(submission);
  for (const auto& [key, older] : {std::pair("duration_ms", "run_time_ms"),
                                   {"checkpointable", "pausable"},
                                   {"pause_cost_ms", "pause_overhead_ms"},
                                   {"time_limit_ms", "run_limit_ms"}}) {
    EXPECT_EQ(text.find(older), std::string::npos);
    const auto at = text.find(key);
    ASSERT_NE(at, std::string::npos) << key;
    text.replace(at, std::string_view(key).size(), older);
  }
  const auto read = FromFieldText<core::Submission>(text, "job 7");
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(*read, submission);
  const auto bad = FromFieldText<core::Submission>(R"({"job":{"run_time_ms":"x"}})", "job 7");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().what.find("run_time_ms"), std::string::npos) << bad.error().what;
}

TEST(FieldText, AFieldOfAnotherTypeIsNamed) {
  for (const char* text :
       {R"({"job":{"id":"x"}})", R"({"job":3})", R"({"command":"rm"})", R"({"job":{"freeze":1}})",
        R"({"environment":[["a"]]})", R"({"after":[1.5]})", R"({"job":{"devices":5000000000}})",
        R"({"job":{"power_w":"much"}})", "[]", ""}) {
    const auto read = FromFieldText<core::Submission>(text, "job 7");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().where, "job 7");
  }
}

}  // namespace
}  // namespace ebb::engine
