// Unknown is a word, or null, in every output: whatever part of the intensity is missing, nothing
// that used energy under an intensity above 0 is told to have emitted 0 g.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/csv.h"
#include "base/random.h"
#include "core/accounting.h"
#include "report/compare/compare.h"
#include "report/compare/compare_page.h"
#include "report/period/period.h"
#include "report/period/period_json.h"
#include "report/period/period_page.h"
#include "report/run/codecarbon_csv.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/summary.h"
#include "report/simulation/queue_plan_json.h"
#include "report/simulation/queue_plan_page.h"
#include "report/simulation/simulation_json.h"
#include "report/simulation/simulation_table.h"
#include "report/sweep/sweep_report.h"

namespace ebb::report {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "0 g", "0.00 mg" with what stands around it, but no "0 g/kWh", which is another matter.
std::vector<std::string> ZeroGramsIn(const std::string& text) {
  static const std::regex kZero("(^|[^0-9.,])0(\\.0+)? ?(n|µ|m|k)?g([^/A-Za-z0-9]|$)");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kZero), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    found.push_back(text.substr(at - std::min<std::size_t>(at, 40), 80));
  }
  return found;
}

// Members that are grams or kilograms and 0. A saving is null where it is unknown, and may be 0.
void AddZeroMembers(const Json& json, const std::string& where, std::vector<std::string>& found) {
  for (const auto& [key, value] : json.items()) {
    const std::string path = where + "/" + key;
    if (key.starts_with("saving")) continue;
    const bool is_grams = key.ends_with("_g") || key.find("emissions_kg") != std::string::npos;
    if (value.is_structured())
      AddZeroMembers(value, path, found);
    else if (is_grams && value.is_number() && value.get<double>() == 0)
      found.push_back(path);
  }
}
std::vector<std::string> ZeroMembersOf(const std::string& text) {
  std::vector<std::string> found;
  AddZeroMembers(Json::parse(text), "", found);
  return found;
}

// A run that waited from a random hour, in a signal in which random hours are gaps.
core::RunRecord RandomRun(Random& random, const std::string& group, std::int64_t seed) {
  RunBuilder builder;
  builder.group = group;
  builder.seed = seed;
  builder.policy = "threshold";
  builder.submitted = hours(12 + static_cast<int>(random.Below(6)));
  builder.waited = hours(1 + static_cast<int>(random.Below(8)));
  builder.running = minutes(20 + static_cast<int>(random.Below(100)));
  builder.power_factor = random.Uniform(0.5, 2);
  core::RunRecord run = builder.Build();
  const double share = random.Uniform(0, 1.2);  // of hours that are missing; often all of them
  std::vector<core::Sample> samples = run.signal.samples();
  std::erase_if(samples, [&](const core::Sample&) { return random.Uniform() < share; });
  run.signal = *core::IntensitySeries::Create(run.signal.identity(), samples);
  for (core::LedgerRow& row : run.ledger) row.intensity.reset();
  run.ledger = core::Revalued(run.ledger, run.signal);
  for (core::GateDecision& decision : run.decisions) decision.reason.current.reset();
  return run;
}

TEST(UnknownIsAWord, InEverySummaryOfARun) {
  Random random(17);
  int unknown = 0, partly = 0;
  for (int round = 0; round < 100; ++round) {
    const core::RunRecord run = RandomRun(random, "run", 1);
    const Summary summary = Summarise(run);
    const core::LedgerTotals& totals = summary.totals;
    const bool is_unknown = totals.energy_without_intensity == totals.energy;
    const std::string text = SummaryText(run, summary);
    EXPECT_THAT(ZeroGramsIn(text), IsEmpty()) << text;
    EXPECT_THAT(ZeroMembersOf(SummaryJson(run, summary)), IsEmpty()) << round;
    EXPECT_THAT(ZeroMembersOf(NeoSummaryJson(run, summary, "")), IsEmpty()) << round;
    const EmissionsFields fields = EmissionsFieldsOf(run, summary);
    EXPECT_EQ(is_unknown, !fields.contains("emissions")) << "a column that is empty";
    EXPECT_EQ(is_unknown, text.find("emitted        unknown") != std::string::npos) << text;
    unknown += is_unknown ? 1 : 0;
    partly += !is_unknown && totals.energy_without_intensity > Energy{} ? 1 : 0;
  }
  EXPECT_GT(unknown, 10);
  EXPECT_GT(partly, 10);
}

TEST(UnknownIsAWord, InComparisons) {
  Random random(18);
  for (int round = 0; round < 12; ++round) {
    std::vector<core::RunRecord> runs;
    for (const char* group : {"one", "other"})
      for (const std::int64_t seed : {1, 2, 3}) runs.push_back(RandomRun(random, group, seed));
    const auto comparison = Compare(std::move(runs));
    ASSERT_TRUE(comparison) << comparison.error().Message();
    EXPECT_THAT(ZeroGramsIn(ComparisonText(*comparison)), IsEmpty()) << round;
    EXPECT_THAT(ZeroGramsIn(ComparisonPage(*comparison)), IsEmpty()) << round;
    EXPECT_THAT(ZeroMembersOf(ComparisonJson(*comparison)), IsEmpty()) << round;
    EXPECT_THAT(ZeroMembersOf(NeoComparisonJson(*comparison, kMidnight)), IsEmpty()) << round;
  }
}

TEST(UnknownIsAWord, InReportsOfAPeriod) {
  Random random(19);
  for (int round = 0; round < 60; ++round) {
    PeriodRequest request;
    for (int day = 0; day < 3; ++day) {
      const Time begin = kMidnight + hours(24 * day);
      request.days.push_back({FormatTime(begin).substr(0, 10), {begin, begin + hours(24)}});
    }
    request.boundary = core::Boundary::kLifecycle;
    request.from = "2023-05-01 00:00";
    request.to = "2023-05-04 00:00";
    request.time_zone = "UTC";
    std::vector<PeriodRun> runs;
    for (int i = 0; i < 3; ++i) {
      PeriodRun run;
      run.run = core::Accounted(RandomRun(random, "run", i));
      run.run.spec.run_id += std::to_string(i);
      run.at_submission = StartAtSubmission(run.run);
      run.owner = {run.run.spec.run_id, "runs", "vision", "ada", "DE"};
      runs.push_back(std::move(run));
    }
    PeriodAccount account(request);
    account.Add(runs);
    const PeriodReport report = account.Report();
    EXPECT_GT(report.total.figures.energy, Energy{});
    // Of a day on which nothing ran, 0 g is what is known.
    if (report.total.figures.known_emissions_ug()) continue;
    EXPECT_THAT(PeriodText(report), HasSubstr("unknown"));
    EXPECT_THAT(ZeroGramsIn(PeriodText(report)), IsEmpty()) << PeriodText(report);
    EXPECT_THAT(PeriodPage(report, nullptr), HasSubstr("unknown"));
    const Json json = Json::parse(PeriodJson(report, nullptr));
    EXPECT_THAT(json.dump(), HasSubstr("null"));
  }
}

TEST(UnknownIsAWord, InSimulationsPlansAndSweeps) {
  sim::Experiment experiment;
  sim::PolicyFigures policy;
  policy.label = policy.policy = "run-now";
  policy.use.energy = policy.use.energy_without_intensity = Energy::Joules(3.6e6);
  policy.idle = policy.use;
  sim::StartFigures start;
  start.use = policy.use;
  policy.starts.push_back(start);
  experiment.comparison.policies.push_back(policy);
  experiment.comparison.starts.push_back(kMidnight);
  for (const auto& row : PolicyTable(experiment).rows)
    for (const std::string& cell : row) EXPECT_THAT(ZeroGramsIn(cell), IsEmpty());

  sim::QueuePlan plan;
  plan.at = kMidnight;
  plan.policy = "planner";
  plan.jobs.emplace_back();
  plan.jobs.back().job.name = "train";
  EXPECT_EQ(QueuePlanTable(plan).rows.front()[4], "unknown");
  EXPECT_THAT(ZeroMembersOf(QueuePlanJson(plan)), IsEmpty());

  SweepReport report;
  report.name = "sweep";
  report.rows.emplace_back();
  report.rows.back().name = "first";
  report.rows.back().attempts = 1;
  report.energy = report.rows.back().energy = Energy::Joules(3.6e6);
  EXPECT_THAT(SweepText(report), HasSubstr("emissions unknown in all"));
  EXPECT_THAT(ZeroGramsIn(SweepText(report)), IsEmpty());
  const Json json = Json::parse(SweepJson(report));
  EXPECT_TRUE(json.at("emissions_g").is_null());
}

}  // namespace
}  // namespace ebb::report
