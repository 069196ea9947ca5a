#include "sweep/random_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace ebb::sweep {
namespace {

// The Kolmogorov-Smirnov statistic: the largest distance between the drawn values and a
// distribution function, times the square root of their number. It is above 1.95 with a probability
// of 0.001.
double Distance(std::vector<double> values, const std::function<double(double)>& below) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double expected = below(values[i]);
    distance = std::max({distance, std::abs(static_cast<double>(i) / count - expected),
                         std::abs(static_cast<double>(i + 1) / count - expected)});
  }
  return distance * std::sqrt(count);
}

std::vector<double> NumbersOf(const std::vector<std::vector<Setting>>& trials, std::size_t place) {
  std::vector<double> numbers;
  for (const auto& settings : trials) numbers.push_back(*settings[place].value.number);
  return numbers;
}

const std::vector<RandomParameter> kParameters{
    {"lr", LogUniformValues{1e-5, 1e-1}},
    {"dropout", UniformValues{0.1, 0.5}},
    {"layers", IntegerValues{-1, 6}},
    {"optimizer", ChoiceOfValues{{Value::From("adam"), Value::From("sgd"), Value::From("lion")}}}};

TEST(RandomSearch, NumbersAreSpreadAsTheirDistributionSays) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const auto trials = DrawTrials(kParameters, 4000, seed);
    const double log_uniform =
        Distance(NumbersOf(trials, 0), [](double value) { return (std::log10(value) + 5) / 4; });
    EXPECT_LT(log_uniform, 1.95);
    EXPECT_GT(Distance(NumbersOf(trials, 0), [](double value) { return value / 0.1; }), 20)
        << "the test tells a uniform distribution from it";
    EXPECT_LT(Distance(NumbersOf(trials, 1), [](double value) { return (value - 0.1) / 0.4; }),
              1.95);
    // Draws of one trial are independent: the correlation of n draws has a standard deviation of
    // 1/√n.
    const auto a = NumbersOf(trials, 1), b = NumbersOf(trials, 2);
    double covariance = 0;
    for (std::size_t i = 0; i < a.size(); ++i) covariance += (a[i] - 0.3) * (b[i] - 2.5);
    covariance /= static_cast<double>(a.size()) * (0.4 / std::sqrt(12)) * std::sqrt(63.0 / 12);
    EXPECT_LT(std::abs(covariance), 3.5 / std::sqrt(4000.0));
  }
}

// Chi-squared against equal shares; 24.3 (7 degrees of freedom) and 13.8 (2) are exceeded once in a
// thousand.
TEST(RandomSearch, IntegersAndChoicesAreEquallyLikelyWithBothEnds) {
  const auto trials = DrawTrials(kParameters, 8000, 42);
  for (const auto& [place, kinds, limit] : {std::tuple(2, 8, 24.3), std::tuple(3, 3, 13.8)}) {
    std::map<std::string, int> counts;
    for (const auto& settings : trials)
      ++counts[settings[static_cast<std::size_t>(place)].value.text];
    EXPECT_EQ(static_cast<int>(counts.size()), kinds);
    double squares = 0;
    const double expected = 8000.0 / kinds;
    for (const auto& [text, count] : counts) squares += std::pow(count - expected, 2) / expected;
    EXPECT_LT(squares, limit);
  }
}

TEST(RandomSearch, TheSameSeedDrawsTheSameAndMoreTrialsKeepTheFirst) {
  const auto text_of = [](const std::vector<std::vector<Setting>>& trials) {
    std::string text;
    for (const auto& settings : trials)
      for (const Setting& setting : settings) text += setting.name + "=" + setting.value.text + " ";
    return text;
  };
  const std::string ten = text_of(DrawTrials(kParameters, 10, 7));
  EXPECT_EQ(ten, text_of(DrawTrials(kParameters, 10, 7)));
  EXPECT_TRUE(text_of(DrawTrials(kParameters, 20, 7)).starts_with(ten));
  EXPECT_NE(ten, text_of(DrawTrials(kParameters, 10, 8)));
  const auto alone = DrawTrials({kParameters[1]}, 10, 7);
  const auto with_others = DrawTrials(kParameters, 10, 7);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(alone[i][0].value.text, with_others[i][1].value.text);
}

TEST(RandomSearch, ValuesStayInTheirRange) {
  for (const double at : {0.0, 0.3, std::nextafter(1.0, 0.0)}) {
    const double third = *ValueAt(UniformValues{1.0 / 3, 2.0 / 3}, at).number;
    EXPECT_GE(third, 1.0 / 3);
    EXPECT_LE(third, 2.0 / 3);
    EXPECT_LE(*ValueAt(LogUniformValues{1e-7, 1.23456789e-3}, at).number, 1.23456789e-3);
    EXPECT_LE(*ValueAt(IntegerValues{3, 5}, at).number, 5);
  }
  EXPECT_EQ(ValueAt(UniformValues{0, 1}, 0.25).text, "0.25") << "as a person writes it";
}

}  // namespace
}  // namespace ebb::sweep
