#include "report/sweep/sweep_report.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/columns.h"
#include "base/text.h"

namespace ebb::report {
namespace {

SweepRow Row(const std::string& name, std::optional<double> loss, std::optional<double> grams,
             SweepOutcome outcome = SweepOutcome::kDone) {
  SweepRow row;
  row.name = name;
  row.tier = "1";
  row.loss = loss;
  if (grams) row.emissions = Emissions{*grams};
  row.outcome = outcome;
  row.attempts = 1;
  return row;
}

// A report with the published losses and grams of the six experiments that have them.
SweepReport Published() {
  SweepReport report;
  report.name = "core21";
  report.rows = {Row("r16-a32", 0.7899, 52.1),
                 Row("r16-a64", 0.749, 70.3),
                 Row("r16-a128", 0.7059, 90.8),
                 Row("r32-a128-d10", 0.701, 94.5),
                 Row("r32-a128-d5", 0.697, 51.4),
                 Row("r32-a128-d15", 0.7037, 56.1),
                 Row("stopped <b>", 0.5, 1, SweepOutcome::kStoppedEarly),
                 Row("failed", {}, 2, SweepOutcome::kFailed)};
  Rank(report);
  return report;
}

std::vector<std::string> Front(const SweepReport& report) {
  std::vector<std::string> names;
  for (const SweepRow& row : report.rows)
    if (row.on_front) names.push_back(row.name);
  return names;
}

TEST(SweepReport, RanksCompleteOnesByLossAndListsTheOthers) {
  std::vector<std::string> names;
  for (const SweepRow& row : Published().rows) names.push_back(row.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"r32-a128-d5", "r32-a128-d10", "r32-a128-d15", "r16-a128",
                                      "r16-a64", "r16-a32", "stopped <b>", "failed"}));
}

TEST(SweepReport, RanksByEnergyPerUnitOfWorkWhereAsked) {
  SweepReport report;
  report.rows = {Row("large", 0.1, 9), Row("small", 0.2, 2),
                 Row("stopped", 0.3, 1, SweepOutcome::kFailed)};
  for (SweepRow& row : report.rows) row.energy = Energy::Joules(6);
  report.rows[0].work = {.tokens = 1000, .samples = 10};
  report.rows[1].work = {.tokens = 3000};
  report.ranked_by = RankBy::kEnergy;
  Rank(report);
  EXPECT_EQ(report.rows[0].name, "small");
  EXPECT_EQ(BestOf(report)->name, "small");
  const auto json = nlohmann::json::parse(SweepJson(report));
  EXPECT_EQ(json["ranked_by"], "energy");
  EXPECT_EQ(json["experiments"][0]["energy_per_token_j"], 0.002);
  EXPECT_EQ(json["experiments"][1]["rank"], 2);
  EXPECT_EQ(json["experiments"][2]["rank"], nullptr);
  EXPECT_EQ(json["experiments"][2]["tokens"], nullptr);
  const std::string text = SweepText(report);
  EXPECT_NE(text.find("energy      per unit        waited"), std::string::npos) << text;
  EXPECT_NE(text.find("6.00 J      2.00 mJ/token   "), std::string::npos) << text;

  report.ranked_by = RankBy::kEmissions;
  Rank(report);
  EXPECT_EQ(report.rows[0].name, "small");
  report.rows[1].work = {.samples = 10};
  Rank(report);
  EXPECT_EQ(BestOf(report), nullptr) << "they report no unit in common";
  EXPECT_EQ(SweepText(Published()).find("per unit"), std::string::npos);
  EXPECT_TRUE(ParseRankBy("--rank-by", "emissions"));
  EXPECT_FALSE(ParseRankBy("--rank-by", "joules"));
}

TEST(SweepReport, ATrainingThatDivergedIsNotRankedAndSaysAtWhichStep) {
  SweepReport report;
  report.rows = {Row("diverged", 0.1, 5, SweepOutcome::kFailed), Row("good", 0.9, 5),
                 Row("cut", 0.8, 5)};
  report.rows[0].note = "exit code 3, see attempt-1.log";
  SayDiverged(report.rows[0], 12);
  SayNotices(report.rows[0], {"something"});
  SayNotices(report.rows[2], {"many records are not learned whole"});
  SweepRow running = Row("running", {}, 1, SweepOutcome::kRunning);
  SayDiverged(running, 3);
  EXPECT_EQ(running.note, "") << "it may have begun anew";
  Rank(report);
  EXPECT_EQ(report.rows.back().name, "diverged");
  EXPECT_EQ(report.rows.back().note, "diverged at step 12");
  EXPECT_EQ(report.rows.front().note, "many records are not learned whole");
}

TEST(SweepReport, ThePublishedWinnerBeatsAllOthersInBoth) {
  EXPECT_EQ(Front(Published()), (std::vector<std::string>{"r32-a128-d5"}));
}

TEST(SweepReport, TheMachineHasItsOwnLine) {
  SweepReport report = Published();
  EXPECT_EQ(SweepText(report).find("machine"), std::string::npos);
  report.energy = Energy::Joules(8 * 3600);
  report.machine = SweepMachine{Energy::Joules(3 * 3600), Energy::Joules(3600), Emissions{1.5}, {}};
  EXPECT_NE(SweepText(report).find("machine, while Ebb ran: 12.0 Wh = experiments 8.00 Wh + idle "
                                   "3.00 Wh (1.50 g) + unattributed 1.00 Wh (emissions unknown)\n"),
            std::string::npos)
      << SweepText(report);
  const auto json = nlohmann::json::parse(SweepJson(report));
  EXPECT_DOUBLE_EQ(json["machine"]["idle_kwh"].get<double>(), 0.003);
  EXPECT_TRUE(json["machine"]["unattributed_g"].is_null());
}

TEST(SweepReport, TheFrontHoldsWhatNothingBeatsInBoth) {
  SweepReport report;
  report.rows = {Row("cheap", 0.9, 1),
                 Row("good", 0.5, 9),
                 Row("middle", 0.7, 4),
                 Row("beaten", 0.8, 5),
                 Row("tie", 0.7, 6),
                 Row("unknown", 0.6, {}),
                 Row("nan", std::numeric_limits<double>::quiet_NaN(), 0.1)};
  Rank(report);
  EXPECT_EQ(Front(report), (std::vector<std::string>{"good", "middle", "cheap"}));
  EXPECT_EQ(report.rows.back().name, "nan");
}

TEST(SweepReport, TextSaysWhatIsRankedAndWhatIsNot) {
  const std::string text = SweepText(Published());
  EXPECT_NE(text.find("1  * r32-a128-d5"), std::string::npos) << text;
  EXPECT_NE(text.find("-    failed"), std::string::npos) << text;
}

TEST(SweepReport, TextFitsATerminal) {
  SweepReport report = Published();
  for (SweepRow& row : report.rows) row.name += std::string(60, 'x');
  report.notices.clear();
  const auto table = [&](std::size_t columns) {
    const std::string text = SweepText(report, columns);
    return text.substr(0, text.find("* on the loss-grams front"));
  };
  for (const std::size_t columns : {80, 100, 140}) {
    const std::string text = table(columns);
    for (const std::string_view line : Split(text, '\n'))
      EXPECT_LE(ColumnsOf(line), columns) << text;
  }
  EXPECT_NE(table(80).find("…"), std::string::npos);
  EXPECT_EQ(table(kAnyWidth).find("…"), std::string::npos);
}

TEST(SweepReport, ParametersVaryWhereExperimentsDiffer) {
  SweepReport report;
  for (int i = 0; i < 3; ++i) report.rows.push_back(Row("experiment", 0.5, 1));
  report.rows[0].parameters = {{"same", "x"}, {"rate", "1e-3"}, {"alike", "1e-4"}, {"part", "1"}};
  report.rows[1].parameters = {{"same", "x"}, {"rate", "1e-4"}, {"alike", "0.0001"}};
  report.rows[2].parameters = {{"same", "x"}, {"rate", "1e-3"}, {"alike", "1e-4"}, {"more", ""}};
  EXPECT_EQ(VariedParameters(report), (std::vector<std::string>{"rate", "part", "more"}));
  const auto json = nlohmann::ordered_json::parse(SweepJson(report));
  EXPECT_EQ(json["varied_parameters"], nlohmann::ordered_json({"rate", "part", "more"}));
  EXPECT_EQ(json["experiments"][0]["parameters"].dump(),
            R"({"same":"x","rate":"1e-3","alike":"1e-4","part":"1"})");
  report.rows.resize(1);
  EXPECT_TRUE(VariedParameters(report).empty()) << "one alone differs from none";
  EXPECT_TRUE(VariedParameters({}).empty());
}

TEST(SweepReport, JsonReadsBack) {
  const auto json = nlohmann::json::parse(SweepJson(Published()));
  EXPECT_EQ(json["schema"], "ebb.sweep-report/1");
  EXPECT_EQ(json["experiments"].size(), 8u);
  EXPECT_TRUE(json["experiments"][0]["on_pareto_front"]);
  EXPECT_TRUE(json["experiments"][7]["loss"].is_null());
}

}  // namespace
}  // namespace ebb::report
