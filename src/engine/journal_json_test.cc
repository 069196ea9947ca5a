#include "engine/journal_json.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>

#include "base/random.h"
#include "base/text.h"
#include "plan/make_policy.h"
#include "testing/builders.h"
#include "testing/source_tree.h"

namespace ebb::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2023-05-01");
const std::string kGolden = SourceTree() + "/tests/golden/journal.jsonl";
const std::string kGoldenInFull =
    SourceTree() + "/tests/golden/formats/journal_written_in_full.jsonl";

core::SignalView ViewAt(Time now) {
  std::vector<core::Sample> known, forecast;
  const auto value = [](Time t) {
    const auto hour = t.time_since_epoch() / hours{1};
    return 200.0 + static_cast<double>(hour * 37 % 211) + 1.0 / 3.0;
  };
  const Time hour = std::chrono::floor<hours>(now);
  for (Time t = hour - hours{24}; t <= hour; t += hours{1})
    known.push_back({{t, t + hours{1}}, {value(t)}, core::SampleStatus::kMeasured});
  for (Time t = hour + hours{1}; t < hour + hours{48}; t += hours{1})
    forecast.push_back({{t, t + hours{1}}, {value(t)}, core::SampleStatus::kForecast});
  const core::SignalIdentity identity{"Z", core::SignalKind::kAverage, core::Boundary::kDirect,
                                      "test"};
  core::SignalView view;
  view.now = now;
  view.known = *core::IntensitySeries::Create(identity, known);
  view.forecast = {now, "the truth", *core::IntensitySeries::Create(identity, forecast), {}, {}};
  return view;
}

void ExpectRoundTrip(const JournalRecord& record) {
  const std::string line = ToJsonLine(record);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto read = FromJsonLine(line);
  ASSERT_TRUE(read) << read.error().Message() << "\n" << line;
  EXPECT_EQ(ToJsonLine(*read), line);
}

TEST(JournalJson, EveryRecordReadsBackTheSame) {
  core::Job job = testing::AJob(7).Submitted(kNow).Pausable(minutes{2}, minutes{30}).OfTier("2");
  job.threshold = Intensity{0.1};
  job.finish_by = kNow + hours{9};
  job.sites = {"a", "b\n\"c\""};
  job.models = {"m"};
  job.overrides = {{"m", 1.05, 1.8}};
  job.priority = -3;
  job.on_outage = core::OnOutage::kStop;
  ExpectRoundTrip(Event{kNow, ClusterChanged{testing::ClusterOf(3)}});
  ExpectRoundTrip(Event{kNow, JobSubmitted{job}});
  ExpectRoundTrip(Event{kNow, JobCancelled{7}});
  ExpectRoundTrip(Event{kNow, JobCancelled{7, "fell behind"}});
  ExpectRoundTrip(Event{kNow, EndedForgotten{kNow - std::chrono::hours{1}}});
  ExpectRoundTrip(Event{kNow, JobControlled{7, JobControl::kHold}});
  ExpectRoundTrip(Event{kNow, SignalObserved{0, ViewAt(kNow), kNow + hours{1}}});
  ExpectRoundTrip(Event{kNow, SignalObserved{0, {}, Time::max()}});
  core::SignalView of_second = ViewAt(kNow);
  std::vector<core::Sample> samples = of_second.known.samples();
  for (core::Sample& sample : samples) sample.link = 1;
  core::SignalIdentity chain = of_second.known.identity();
  chain.links = {"first", "second"};
  of_second.known = *core::IntensitySeries::Create(chain, samples);
  ExpectRoundTrip(Event{kNow, SignalObserved{0, of_second, kNow + hours{1}}});
  ExpectRoundTrip(Event{kNow, SignalLost{0, "no route", kNow + minutes{1}}});
  ExpectRoundTrip(Event{kNow, JobReport{7, 2, JobPhase::kFailed, 0, kNow, 137, "killed \xff"}});
  ExpectRoundTrip(Event{kNow, JobReport{7, 2, JobPhase::kStartFailed, 0, kNow, 75, "full", true}});
  ExpectRoundTrip(Event{kNow, ExecutorObserved{{{7, 1, JobPhase::kPaused, 0, kNow, 0, ""}}}});
  ExpectRoundTrip(Event{kNow, ExecutorObserved{{}, true}});
  ExpectRoundTrip(Event{kNow, Tick{}});
  Decision decision;
  decision.at = kNow;
  decision.commands = {StartJob{1, 2, 3}, PauseJob{4, 5}, CancelJob{6, 7}};
  decision.explanations.resize(2);
  decision.explanations[1].reason.current = Intensity{1.0 / 3.0};
  decision.explanations[1].reason.latest = kNow;
  ExpectRoundTrip(decision);
}

TEST(JournalJson, TheOlderKeyOfALatestStartIsRead) {
  Decision decision{kNow, {}, {Explanation{}}, kNow};
  decision.explanations[0].reason.latest = kNow + hours{1};
  std::string line = ToJsonLine(decision);
  const std::string key = "latest_start\":";
  ASSERT_NE(line.find(key), std::string::npos) << line;
  line.replace(line.find(key), key.size(), "start_by\":");
  const auto read = FromJsonLine(line);
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(std::get<Decision>(*read), decision);
}

TEST(JournalJson, DoublesAreExact) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    Explanation explanation;
    explanation.reason.current =
        Intensity{random.Uniform() * std::pow(10.0, random.Uniform(-300, 300))};
    const auto read = FromJsonLine(ToJsonLine(Decision{kNow, {}, {explanation}, kNow}));
    EXPECT_EQ(std::get<Decision>(*read).explanations[0].reason.current, explanation.reason.current);
  }
}

TEST(JournalJson, RubbishIsRefusedWithAReason) {
  for (const char* line :
       {"", "{", "[]", "{}", R"({"at":1})", R"({"at":1,"event":"nothing"})",
        R"({"at":1,"event":"job_cancelled"})", R"({"at":"x","event":"tick"})",
        R"({"at":1.5,"event":"tick"})", R"({"at":1e60,"event":"tick"})",
        R"({"at":1,"event":"job_cancelled","job":18446744073709551615})",
        R"({"at":1,"event":"job_report","report":{"job":1,"attempt":1,)"
        R"("phase":"dancing","pool":0,"since":1}})",
        R"({"at":1,"event":"job_submitted","job":{"id":1,"name":"","submitted":1,)"
        R"("devices":1,"duration_ms":1,"power_w":1,"on_outage":"panic"}})"}) {
    const auto read = FromJsonLine(line);
    ASSERT_FALSE(read) << line;
    EXPECT_FALSE(read.error().what.empty());
  }
}

// A short life: jobs of several kinds, a pause, a failed start, a lost signal, a cancellation.
std::vector<JournalRecord> ALife(Engine& engine) {
  std::vector<JournalRecord> records;
  const auto give = [&](Time at, Fact fact) {
    Event event{at, std::move(fact)};
    EXPECT_TRUE(engine.Apply(event));
    records.emplace_back(std::move(event));
  };
  give(kNow, ClusterChanged{testing::ClusterOf(2)});
  for (int hour = 0; hour < 30; ++hour) {
    const Time now = kNow + hours{hour};
    if (hour % 7 == 5) {
      give(now, SignalLost{0, "down", now + minutes{5}});
    } else {
      give(now, SignalObserved{0, ViewAt(now), now + hours{1}});
    }
    if (hour < 8) {
      testing::AJob job(hour + 1);
      job.Submitted(now).Runs(minutes{50 + 40 * hour}).Wide(1 + hour % 2).Within(hours{20});
      if (hour % 3 == 0) job.Pausable(minutes{2}, minutes{20});
      give(now, JobSubmitted{job});
    }
    if (hour == 6) give(now, JobCancelled{5});
    const Decision decision = engine.Decide(now);
    records.emplace_back(decision);
    for (const Command& command : decision.commands) {
      const auto* start = std::get_if<StartJob>(&command);
      const auto* pause = std::get_if<PauseJob>(&command);
      if (start) {
        const bool fails = start->job == 3 && start->attempt == 1;
        give(now, JobReport{start->job, start->attempt,
                            fails ? JobPhase::kStartFailed : JobPhase::kRunning, 0, now, 0, ""});
      } else if (pause) {
        give(now, JobReport{pause->job, pause->attempt, JobPhase::kPaused, 0, now, 0, ""});
      }
    }
    std::vector<JobReport> ended;
    for (const auto& live : engine.state().live) {
      if (live->stage == Stage::kRunning && !ExpectedEnd(*live, engine.state().cluster, now))
        ended.push_back({live->job.id, live->attempt, JobPhase::kSucceeded, 0, now, 0, ""});
    }
    for (JobReport& report : ended) give(now, std::move(report));
  }
  return records;
}

std::unique_ptr<Engine> MakeEngine() {
  return std::make_unique<Engine>(Options{}, *plan::MakePolicy("lowest-slots", {}));
}

std::vector<std::string> LinesOf(const std::string& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// To rewrite the golden file, set EBB_UPDATE_GOLDEN=1, but only if decisions are meant to change.
TEST(JournalReplay, TheGoldenJournalIsDecidedAgainByteForByte) {
  if (std::getenv("EBB_UPDATE_GOLDEN")) {
    std::ofstream file(kGolden);
    const auto engine = MakeEngine();
    for (const JournalRecord& record : ALife(*engine)) file << ToJsonLine(record) << "\n";
  }
  std::vector<JournalRecord> records;
  for (const std::string& line : LinesOf(kGolden)) {
    auto record = FromJsonLine(line);
    ASSERT_TRUE(record) << record.error().Message();
    EXPECT_EQ(ToJsonLine(*record), line);
    records.push_back(*std::move(record));
  }
  ASSERT_GT(records.size(), 60u);
  const auto replayed = Replay(records, *MakeEngine());
  EXPECT_TRUE(replayed) << replayed.error().Message();
}

// An older version wrote empty fields and a point in every double, and explained every job in each
// cycle.
TEST(JournalReplay, AJournalWrittenInFullHoldsTheSameFactsAndIsDecidedAgain) {
  const auto now = LinesOf(kGolden), before = LinesOf(kGoldenInFull);
  ASSERT_EQ(before.size(), now.size());
  std::vector<JournalRecord> records;
  for (std::size_t line = 0; line < now.size(); ++line) {
    auto record = FromJsonLine(before[line]);
    ASSERT_TRUE(record) << record.error().Message();
    if (std::holds_alternative<Event>(*record)) {
      EXPECT_EQ(ToJsonLine(*record), now[line]);
    }
    records.push_back(*std::move(record));
  }
  const auto replayed = Replay(records, *MakeEngine());
  EXPECT_TRUE(replayed) << replayed.error().Message();
}

TEST(JournalReplay, NamesTheFirstDecisionThatDiffers) {
  auto records = ALife(*MakeEngine());
  std::size_t third = 0;
  for (int decisions = 0; decisions < 3; ++third)
    decisions += std::holds_alternative<Decision>(records[third]);
  std::get<Decision>(records[third - 1]).wake_at += Duration{1};
  const auto replayed = Replay(records, *MakeEngine());
  ASSERT_FALSE(replayed);
  EXPECT_EQ(replayed.error().where, "journal record " + std::to_string(third));
  EXPECT_NE(replayed.error().what.find("wake_at"), std::string::npos);
}

}  // namespace
}  // namespace ebb::engine
