#include "sweep/tpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace ebb::sweep {
namespace {

const std::vector<RandomParameter> kParameters{
    {"lr", LogUniformValues{1e-6, 1}},
    {"dropout", UniformValues{0, 1}},
    {"layers", IntegerValues{1, 20}},
    {"optimizer", ChoiceOfValues{{Value::From("sgd"), Value::From("adam"), Value::From("lion"),
                                  Value::From("rmsprop")}}}};

// A valley whose minimum is 0, at lr 1e-3, dropout 0.3, 12 layers, adam.
double LossOf(const std::vector<Setting>& settings) {
  const auto number = [&](const char* name) { return *FindValue(settings, name)->number; };
  const double lr = std::log10(number("lr")) + 3, dropout = 5 * (number("dropout") - 0.3),
               layers = (number("layers") - 12) / 4;
  const bool is_best = FindValue(settings, "optimizer")->text == "adam";
  return lr * lr + dropout * dropout + layers * layers + (is_best ? 0 : 1);
}

// The best loss after each trial.
std::vector<double> Search(std::uint64_t seed, std::size_t trials, std::size_t startup) {
  std::vector<TrialResult> results;
  std::vector<double> best;
  TpeOptions options;
  options.startup = startup;
  for (std::size_t trial = 0; trial < trials; ++trial) {
    auto settings = ProposeTrial(kParameters, results, trial, seed, options);
    const double loss = LossOf(settings);
    results.push_back({std::move(settings), loss});
    best.push_back(best.empty() ? loss : std::min(best.back(), loss));
  }
  return best;
}

TEST(Tpe, FindsTheBestWithFarFewerTrialsThanRandomSearch) {
  constexpr std::size_t kTrials = 60, kLong = 240, kSeeds = 41;
  std::vector<double> tpe, random, long_random;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    tpe.push_back(Search(seed, kTrials, 10).back());
    const auto drawn = Search(seed, kLong, kLong);
    random.push_back(drawn[kTrials - 1]);
    long_random.push_back(drawn.back());
  }
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  EXPECT_LT(median(tpe), 0.5 * median(random)) << median(tpe) << " against " << median(random);
  EXPECT_LT(median(tpe), median(long_random)) << "also of four times as many trials";
  RecordProperty("tpe", std::to_string(median(tpe)));
  RecordProperty("random", std::to_string(median(random)));
}

TEST(Tpe, BeginsAtRandomAndIsTheSameForTheSameResults) {
  const auto text_of = [](const std::vector<Setting>& settings) {
    std::string text;
    for (const Setting& setting : settings) text += setting.name + "=" + setting.value.text + " ";
    return text;
  };
  const auto drawn = DrawTrials(kParameters, 10, 3);
  std::vector<TrialResult> results;
  for (std::size_t trial = 0; trial < 10; ++trial) {
    EXPECT_EQ(text_of(ProposeTrial(kParameters, results, trial, 3)), text_of(drawn[trial]));
    results.push_back({drawn[trial], LossOf(drawn[trial])});
  }
  const std::string next = text_of(ProposeTrial(kParameters, results, 10, 3));
  EXPECT_EQ(next, text_of(ProposeTrial(kParameters, results, 10, 3)));
  EXPECT_NE(next, text_of(DrawTrials(kParameters, 11, 3).back())) << "by the results now";
  EXPECT_NE(next, text_of(ProposeTrial(kParameters, results, 11, 3)))
      << "two that run at a time are not the same";
}

// Integrates the density by Simpson's rule, and compares it with the share of draws in each tenth.
TEST(Tpe, TheDensityIsOneAndIsWhatIsDrawn) {
  for (const std::vector<double>& places :
       {std::vector<double>{}, {0.5}, {0.0, 1.0}, {0.11, 0.12, 0.13, 0.9}}) {
    const ParzenDensity density(places);
    const auto integral = [&](double from, double to) {
      constexpr int kSteps = 2000;
      const double step = (to - from) / kSteps;
      double sum = density.At(from) + density.At(to);
      for (int i = 1; i < kSteps; ++i) sum += (i % 2 ? 4 : 2) * density.At(from + i * step);
      return sum * step / 3;
    };
    EXPECT_NEAR(integral(0, 1), 1, 1e-9);
    constexpr int kDraws = 20'000;
    std::vector<int> counts(10, 0);
    Random random(5);
    for (int i = 0; i < kDraws; ++i)
      ++counts[std::min<std::size_t>(9, static_cast<std::size_t>(10 * density.Draw(random)))];
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      const double expected =
          integral(static_cast<double>(tenth) / 10, static_cast<double>(tenth + 1) / 10);
      const double spread = std::sqrt(expected * (1 - expected) / kDraws);
      EXPECT_NEAR(static_cast<double>(counts[tenth]) / kDraws, expected, 4.5 * spread) << tenth;
    }
  }
}

TEST(Tpe, APlaceIsWhereItsValueIs) {
  for (const RandomParameter& parameter : kParameters) {
    for (const double at : {0.01, 0.24, 0.5, 0.77, 0.999}) {
      const Value value = ValueAt(parameter.values, at);
      const auto place = PlaceOf(parameter.values, value);
      ASSERT_TRUE(place) << value.text;
      EXPECT_EQ(ValueAt(parameter.values, *place).text, value.text) << parameter.name;
    }
    EXPECT_FALSE(PlaceOf(parameter.values, Value::From("nonsense")));
    EXPECT_FALSE(PlaceOf(parameter.values, Value::From("-7")));
  }
}

TEST(Tpe, WhatFailedIsAvoided) {
  const std::vector<RandomParameter> parameters{{"x", UniformValues{0, 1}}};
  std::vector<TrialResult> results;
  for (int i = 0; i < 40; ++i) {
    const double x = (i + 0.5) / 40;
    TrialResult result{{{"x", Value::From(std::to_string(x))}}};
    if (x < 0.5) result.loss = 1;
    results.push_back(result);
  }
  int low = 0;
  for (std::size_t trial = 40; trial < 140; ++trial)
    low += *ProposeTrial(parameters, results, trial, 9)[0].value.number < 0.5;
  EXPECT_GT(low, 90);
}

}  // namespace
}  // namespace ebb::sweep
