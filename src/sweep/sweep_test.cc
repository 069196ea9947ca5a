#include "sweep/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace ebb::sweep {
namespace {

Parameter Grid(std::string name, std::vector<std::string> texts) {
  Parameter parameter{std::move(name), {}, 2};
  for (std::string& text : texts) parameter.values.push_back(Value::From(std::move(text)));
  return parameter;
}

Condition When(const std::string& text) { return *ParseComparison(text); }

Definition TwoTiers() {
  Definition definition;
  definition.grid = {Grid("r", {"16", "32"}), Grid("lr", {"1e-04", "5e-05", "1e-05"})};
  definition.tiers = {{"1", Intensity{225}, std::chrono::hours{24}, 2},
                      {"2", Intensity{125}, std::chrono::hours{96}, 1}};
  definition.tier_rules = {{When("r == 16"), "1", "small", 5}, {{}, "2", "r={r} is large", 6}};
  definition.estimates = {{When("r == 16"), std::chrono::minutes{84}, Power{381}, 7},
                          {{}, std::chrono::minutes{96}, Power{400}, 8}};
  definition.name = {"r{r}-lr{lr:.0e}-{tier}", 9};
  definition.command = {{"train", 10}, {"--lr={lr}", 10}, {"{name}", 10}, {"{index}", 10}};
  return definition;
}

std::string Mistakes(const Definition& definition) {
  const Expansion expansion = Expand(definition);
  EXPECT_TRUE(expansion.mistakes.empty() || expansion.experiments.empty());
  std::string text;
  for (const Mistake& mistake : expansion.mistakes)
    text += std::to_string(mistake.line) + ": " + mistake.what + "\n";
  return text;
}

TEST(Sweep, ExpandsAGridWithTheLastParameterFastest) {
  const Expansion expansion = Expand(TwoTiers());
  ASSERT_TRUE(expansion.mistakes.empty());
  ASSERT_EQ(expansion.experiments.size(), 6u);
  const Experiment& fifth = expansion.experiments[4];
  EXPECT_EQ(fifth.name, "r32-lr5e-05-2");
  EXPECT_EQ(Describe(fifth), "r=32,lr=5e-05");
  EXPECT_EQ(fifth.rationale, "r=32 is large");
  EXPECT_EQ(fifth.tier, 1);
  EXPECT_EQ(fifth.duration, std::chrono::minutes{96});
  EXPECT_EQ(fifth.power, Power{400});
  EXPECT_EQ(fifth.command, (std::vector<std::string>{"train", "--lr=5e-05", "r32-lr5e-05-2", "5"}));
}

TEST(Sweep, MakesJobsWithTheirTiersDelay) {
  const Definition definition = TwoTiers();
  Sweep sweep{"s", definition.tiers, Expand(definition).experiments, {}, std::nullopt};
  const Time submitted{std::chrono::hours{1000}};
  const core::Job job = JobOf(sweep, sweep.experiments[4], submitted);
  EXPECT_EQ(job.id, 5);
  EXPECT_EQ(job.start_by, submitted + std::chrono::hours{96});
  EXPECT_EQ(job.tier, "2");
  EXPECT_EQ(job.threshold, Intensity{125});
  EXPECT_EQ(TimeLimitOf(sweep, sweep.experiments[0]), std::chrono::minutes{168});
}

TEST(Sweep, NamesEveryMistakeAtOnce) {
  Definition definition = TwoTiers();
  definition.tier_rules[0].when = When("rr == 16");
  definition.tier_rules[1].tier = "3";
  definition.command.push_back({"{alpha}", 11});
  definition.name.text = "r{r";
  const std::string mistakes = Mistakes(definition);
  EXPECT_NE(mistakes.find("there is no parameter rr (did you mean \"r\"?)"), std::string::npos);
  EXPECT_NE(mistakes.find("6: there is no tier 3"), std::string::npos);
  EXPECT_NE(mistakes.find("11: there is no parameter alpha for {alpha}"), std::string::npos);
  EXPECT_NE(mistakes.find("9: \"{\" without \"}\""), std::string::npos);
}

TEST(Sweep, RefusesNamesThatOccurTwice) {
  Definition definition = TwoTiers();
  definition.name.text = "r{r}";
  EXPECT_NE(Mistakes(definition).find("experiments 1 and 2 are both called r16"),
            std::string::npos);
}

TEST(Sweep, RefusesEmptyAndRepeatedAndTooMany) {
  Definition definition = TwoTiers();
  definition.grid[0].values.clear();
  EXPECT_NE(Mistakes(definition).find("parameter r has no values"), std::string::npos);
  definition.grid[0] = Grid("r", {"16", "16.0"});
  EXPECT_NE(Mistakes(definition).find("has the value 16.0 twice"), std::string::npos);
  std::vector<std::string> many;
  for (int i = 0; i < 5'000; ++i) many.push_back(std::to_string(i));
  definition.grid[0] = Grid("r", many);
  EXPECT_NE(Mistakes(definition).find("more than 10000 combinations"), std::string::npos);
  EXPECT_NE(Mistakes({}).find("there are no parameters"), std::string::npos);
}

TEST(Sweep, SaysWhichConfigurationNoRuleMatches) {
  Definition definition = TwoTiers();
  definition.tier_rules.pop_back();
  definition.estimates.pop_back();
  const std::string mistakes = Mistakes(definition);
  EXPECT_NE(mistakes.find("no tier rule matches r=32,lr=1e-04"), std::string::npos);
  EXPECT_NE(mistakes.find("no estimate of run time and power matches r=32"), std::string::npos);
}

TEST(Sweep, RefusesAListWithUnlikeEntries) {
  Definition definition = TwoTiers();
  definition.grid.clear();
  definition.list = {{{"r", Value::From("16")}, {"lr", Value::From("1e-04")}},
                     {{"r", Value::From("16")}, {"lt", Value::From("1e-05")}}};
  definition.list_lines = {20, 21};
  const std::string mistakes = Mistakes(definition);
  EXPECT_NE(mistakes.find("21: parameter lr is missing here"), std::string::npos);
  EXPECT_NE(mistakes.find("21: parameter lt is not in the first configuration (did you mean"),
            std::string::npos);
}

TEST(Sweep, DrawsASampleOfEachTierAndKeepsTheOrder) {
  Definition definition = TwoTiers();
  definition.grid[1] = Grid("lr", {"1", "2", "3", "4", "5", "6", "7", "8", "9"});
  definition.sample = {7, 42, 12};
  const auto sampled = Expand(definition).experiments;
  ASSERT_EQ(sampled.size(), 7u);
  EXPECT_EQ(std::count_if(sampled.begin(), sampled.end(), [](auto& e) { return e.tier == 0; }), 3);
  for (std::size_t i = 0; i < sampled.size(); ++i) EXPECT_EQ(sampled[i].index, int(i) + 1);
  EXPECT_TRUE(std::is_sorted(sampled.begin(), sampled.end(),
                             [](auto& a, auto& b) { return a.tier < b.tier; }));
  const auto names = [](const std::vector<Experiment>& experiments) {
    std::vector<std::string> all;
    for (const Experiment& experiment : experiments) all.push_back(experiment.name);
    return all;
  };
  EXPECT_EQ(names(sampled), names(Expand(definition).experiments));
  definition.sample->seed = 43;
  EXPECT_NE(names(sampled), names(Expand(definition).experiments));
  definition.sample->size = 100;
  EXPECT_EQ(Expand(definition).experiments.size(), 18u);
}

}  // namespace
}  // namespace ebb::sweep
