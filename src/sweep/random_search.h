#pragma once
// Random search (Bergstra and Bengio, JMLR 2012): each trial draws a value of every parameter from
// its distribution. A trial's values depend on the seed, the trial and the parameter's name alone:
// more trials keep the first ones, and so does another parameter. Pure.

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sweep/condition.h"

namespace ebb::sweep {

struct UniformValues {
  double low = 0, high = 1;
};
/// Uniform in the logarithm; low > 0.
struct LogUniformValues {
  double low = 1, high = 10;
};
/// Both ends included.
struct IntegerValues {
  std::int64_t low = 0, high = 1;
};
/// Each as likely as the others; not empty.
struct ChoiceOfValues {
  std::vector<Value> values;
};
using Distribution = std::variant<UniformValues, LogUniformValues, IntegerValues, ChoiceOfValues>;

struct RandomParameter {
  std::string name;
  Distribution values;
};

/// What is drawn `at` in [0, 1); numbers have six significant digits.
Value ValueAt(const Distribution& distribution, double at);
/// One list of settings for each trial, in the order of the parameters.
std::vector<std::vector<Setting>> DrawTrials(const std::vector<RandomParameter>& parameters,
                                             std::size_t trials, std::uint64_t seed);

}  // namespace ebb::sweep
