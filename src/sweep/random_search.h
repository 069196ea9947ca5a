#pragma once
// Random search (Bergstra and Bengio, JMLR 2012): each trial draws a value of every parameter from
// its distribution. A trial's values depend on the seed, the trial and the parameter's name alone:
// adding trials or parameters does not change the values that were drawn before. Pure.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sweep/condition.h"

namespace ebb::sweep {

struct UniformValues {
  double low = 0, high = 1;
};
/// Uniform in the logarithm; low must be above 0.
struct LogUniformValues {
  double low = 1, high = 10;
};
/// Uniform over the integers from low to high, both included.
struct IntegerValues {
  std::int64_t low = 0, high = 1;
};
/// Choices of equal probability; must not be empty.
struct ChoiceOfValues {
  std::vector<Value> values;
};
using Distribution = std::variant<UniformValues, LogUniformValues, IntegerValues, ChoiceOfValues>;

struct RandomParameter {
  std::string name;
  Distribution values;
};

/// The value at quantile `at` in [0, 1); numbers have six significant digits.
Value ValueAt(const Distribution& distribution, double at);
/// One list of settings for each trial, in the order of the parameters.
std::vector<std::vector<Setting>> DrawTrials(const std::vector<RandomParameter>& parameters,
                                             std::size_t trials, std::uint64_t seed);

}  // namespace ebb::sweep
