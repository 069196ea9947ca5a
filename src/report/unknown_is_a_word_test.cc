// Unknown is a word, or null, in every output. Whatever part of the intensity is missing, no output
// may say that energy under an intensity above 0 emitted 0 g.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/csv.h"
#include "base/random.h"
#include "core/run/accounting.h"
#include "report/compare/compare.h"
#include "report/compare/compare_page.h"
#include "report/impact/impact.h"
#include "report/period/period.h"
#include "report/period/period_json.h"
#include "report/period/period_page.h"
#include "report/run/codecarbon_csv.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/summary.h"
#include "report/simulation/queue_plan_json.h"
#include "report/simulation/queue_plan_page.h"
#include "report/simulation/simulation_json.h"
#include "report/simulation/simulation_page.h"
#include "report/simulation/simulation_text.h"
#include "report/sweep/sweep_report.h"
#include "testing/builders.h"

namespace ebb::report {
namespace {

using Json = nlohmann::json;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Finds "0 g" and "0.00 mg" with the text around it. "0 g/kWh" is an intensity and does not count.
std::vector<std::string> ZeroGramsIn(const std::string& text) {
  static const std::regex kZero("(^|[^0-9.,])0(\\.0+)? ?(n|µ|m|k)?g([^/A-Za-z0-9]|$)");
  std::vector<std::string> found;
  for (std::sregex_iterator it(text.begin(), text.end(), kZero), end; it != end; ++it) {
    const auto at = static_cast<std::size_t>(it->position());
    found.push_back(text.substr(at - std::min<std::size_t>(at, 40), 80));
  }
  return found;
}

// Finds members in grams or kilograms that are 0. A saving is null if unknown, and may be 0.
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
  const double share = random.Uniform(0, 1.2);  // share of missing hours; often all of them
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

std::ptrdiff_t CountOf(const std::string& text, const std::string& part) {
  std::ptrdiff_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// The page without labels of axes and without days on which nothing ran.
std::vector<std::string> ZeroGramsOfPage(const std::string& page) {
  static const std::regex kLabels("<text[^>]*>[^<]*</text>|[0-9-]{10}: 0 g, 0 J");
  return ZeroGramsIn(std::regex_replace(page, kLabels, ""));
}

// Checks that grams are null if and only if energy was used and none of its intensity is known.
void CheckPeriodJson(const Json& json) {
  const auto check = [](const Json& energy, const Json& without, const Json& grams,
                        const Json& micrograms, const Json& where) {
    const bool is_unknown = energy > 0 && without == energy;
    EXPECT_EQ(grams.is_null(), is_unknown) << where.dump(1);
    EXPECT_TRUE(is_unknown || energy == 0 || micrograms > 0) << where.dump(1);
  };
  std::vector<Json> rows = json.at("rows");
  rows.push_back(json.at("total"));
  for (const Json& row : rows) {
    const Json& grams = row.at("location_based");
    check(row.at("energy_uj"), row.at("coverage").at("intensity_uj").at("unknown"), grams,
          grams.is_null() ? Json() : grams.at("ug"), row);
    const Json& saved = row.at("saved_against_submission");
    const bool is_compared = saved.at("runs_compared") > 0;
    for (const char* key : {"emitted_ug", "at_submission_ug", "saved_g", "low_g", "high_g"})
      EXPECT_EQ(saved.at(key).is_number(), is_compared) << key;
    for (const char* key : {"emitted_ug", "at_submission_ug"})
      EXPECT_TRUE(!is_compared || saved.at(key) > 0) << key;
  }
  for (const Json& day : json.at("days"))
    check(day.at("energy_uj"), day.at("intensity_unknown_uj"), day.at("location_based_ug"),
          day.at("location_based_ug"), day);
}

TEST(UnknownIsAWord, InReportsOfAPeriod) {
  Random random(19);
  int unknown = 0;
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
    CheckPeriodJson(Json::parse(PeriodJson(report, nullptr, nullptr)));
    const std::string page = PeriodPage(report, nullptr, nullptr);
    EXPECT_THAT(ZeroGramsOfPage(page), IsEmpty());
    const auto unknown_days =
        std::count_if(report.days.begin(), report.days.end(),
                      [](const auto& day) { return !day.second.known_emissions_ug(); });
    EXPECT_EQ(CountOf(page, ">?</text>"), unknown_days) << "no bar looks like 0 g";
    // On a day on which nothing ran, 0 g is correct.
    if (report.total.figures.known_emissions_ug()) continue;
    EXPECT_THAT(PeriodText(report), HasSubstr("unknown"));
    EXPECT_THAT(ZeroGramsIn(PeriodText(report)), IsEmpty()) << PeriodText(report);
    EXPECT_THAT(page, HasSubstr("emissions not known"));
    for (const ImpactKindText& kind : kImpactKinds) {
      const std::string text = ImpactText(report, {kind.kind, FunctionalUnit::kRun, "0.1.0"});
      EXPECT_THAT(ZeroGramsIn(text), IsEmpty()) << text;
    }
    ++unknown;
  }
  EXPECT_GT(unknown, 5);
}

// A policy over start dates of which random ones are unknown or known in part.
sim::PolicyFigures RandomPolicy(Random& random, const std::string& name) {
  sim::PolicyFigures policy;
  policy.label = policy.policy = name;
  const double share = random.Uniform(0, 1.5);
  for (int i = 0; i < 3; ++i) {
    sim::StartFigures start;
    start.start = kMidnight + hours(24 * i);
    for (sim::Use* use : {&start.use, &start.idle}) {
      use->energy = Energy::Joules(random.Uniform(1e5, 1e7));
      const double unknown = random.Uniform() < share ? 1 : random.Uniform() < 0.5 ? 0.5 : 0;
      use->energy_without_intensity =
          unknown == 1 ? use->energy : Energy::Joules(use->energy.joules() * unknown);
      use->emissions = {use->energy.kwh() * (1 - unknown) * 300};
    }
    start.cost.kwh_without_price = start.use.energy.kwh();
    start.wait_h = {1};
    start.stretch = {1};
    policy.starts.push_back(start);
  }
  return policy;
}

sim::Simulation FirstStart(const sim::PolicyFigures& policy) {
  sim::Simulation simulation;
  simulation.start = kMidnight;
  simulation.jobs.emplace_back();
  simulation.jobs.back().name = "train";
  simulation.outcomes.emplace_back();
  simulation.outcomes.back().segments = {{0, {kMidnight, kMidnight + hours(2)}}};
  simulation.use = simulation.outcomes.back().use = policy.starts.front().use;
  simulation.idle = policy.starts.front().idle;
  return simulation;
}

sim::Experiment RandomExperiment(Random& random) {
  sim::Experiment experiment;
  experiment.scenario.name = "gaps";
  experiment.scenario.cluster = testing::ClusterOf(1);
  experiment.scenario.jobs.emplace_back();
  // Prices in euros, without a price for any hour.
  core::PriceIdentity euros;
  euros.currency = "EUR";
  experiment.scenario.prices = {
      std::make_shared<core::PriceSeries>(*core::PriceSeries::Create(euros, {}))};
  if (random.Uniform() < 0.3) experiment.scenario.unknown_idle = {"H100"};
  std::vector<sim::PolicyFigures> policies;
  for (const char* name : {"run-now", "edf", "planner"})
    policies.push_back(RandomPolicy(random, name));
  for (const sim::PolicyFigures& policy : policies)
    experiment.first_start.push_back(FirstStart(policy));
  // The bound counts 0 g for hours with unknown intensity.
  experiment.comparison = sim::Compare(std::move(policies), {0, 0, 0}, "by hand", {});
  for (const std::size_t start : experiment.comparison.known_starts)
    experiment.comparison.bound_g[start] = 20;
  experiment.outlooks.emplace_back();
  return experiment;
}

TEST(UnknownIsAWord, InSimulations) {
  Random random(20);
  int without_saving = 0;
  for (int round = 0; round < 40; ++round) {
    const sim::Experiment experiment = RandomExperiment(random);
    const sim::Comparison& comparison = experiment.comparison;
    EXPECT_THAT(ZeroGramsIn(SimulationText(experiment, 100)), IsEmpty()) << round;
    EXPECT_THAT(ZeroGramsIn(SimulationPage(experiment)), IsEmpty()) << round;
    const Json json = Json::parse(SimulationJson(experiment));
    EXPECT_THAT(ZeroMembersOf(json.dump()), IsEmpty()) << round;
    for (std::size_t start = 0; start < comparison.starts.size(); ++start)
      EXPECT_NE(json.at("bound").at("emissions_g").at(start), Json(0.0)) << round;
    for (const Json& policy : json.at("policies")) {
      EXPECT_TRUE(policy.at("cost").at("amount").is_null()) << "no hour has a price";
      const bool idle_is_known = experiment.scenario.unknown_idle.empty();
      EXPECT_EQ(policy.at("idle").at("energy_kwh").is_number(), idle_is_known);
      const bool is_compared = !comparison.known_starts.empty();
      EXPECT_EQ(policy.at("saving_percent").is_object(), is_compared) << policy.dump(1);
      without_saving += is_compared ? 0 : 1;
    }
  }
  EXPECT_GT(without_saving, 10);
}

TEST(UnknownIsAWord, InPlansAndSweeps) {
  sim::QueuePlan plan;
  plan.at = kMidnight;
  plan.policy = "planner";
  plan.jobs.emplace_back();
  plan.jobs.back().job.name = "train";
  EXPECT_EQ(QueuePlanTable(plan).rows.front()[4], "unknown");
  EXPECT_THAT(ZeroMembersOf(QueuePlanJson(plan)), IsEmpty());
  plan.cluster = testing::ClusterOf(1);
  plan.views.emplace_back();
  plan.cost = core::Cost{.kwh_without_price = 1};
  plan.currency = "EUR";
  EXPECT_THAT(ZeroGramsIn(QueuePlanPage(plan)), IsEmpty());
  EXPECT_THAT(QueuePlanPage(plan), Not(HasSubstr("0.00 EUR")));
  EXPECT_TRUE(Json::parse(QueuePlanJson(plan)).at("cost").at("amount").is_null());

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
