#include "sweep/random_search.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/random.h"

namespace ebb::sweep {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

// Rounds to what a person would write, because the last bits of a logarithm differ between
// machines.
Value Rounded(double number, double low, double high) {
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", number);
  Value value = Value::From(text);
  // Rounding may leave the range slightly.
  if (value.number && (*value.number < low || *value.number > high)) {
    std::snprintf(text, sizeof text, "%.17g", std::clamp(number, low, high));
    value = Value::From(text);
  }
  return value;
}

// FNV-1a, because it gives the same hash on every machine.
std::uint64_t HashOf(const std::string& name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

Value ValueAt(const Distribution& distribution, double at) {
  return std::visit(Overloaded{
                        [&](const UniformValues& d) {
                          return Rounded(d.low + (d.high - d.low) * at, d.low, d.high);
                        },
                        [&](const LogUniformValues& d) {
                          const double low = std::log(d.low), high = std::log(d.high);
                          return Rounded(std::exp(low + (high - low) * at), d.low, d.high);
                        },
                        [&](const IntegerValues& d) {
                          const double count =
                              static_cast<double>(d.high) - static_cast<double>(d.low) + 1;
                          const auto step = static_cast<std::int64_t>(std::floor(count * at));
                          return Value::From(std::to_string(std::min(d.low + step, d.high)));
                        },
                        [&](const ChoiceOfValues& d) {
                          const auto count = static_cast<double>(d.values.size());
                          const auto place = static_cast<std::size_t>(count * at);
                          return d.values[std::min(place, d.values.size() - 1)];
                        },
                    },
                    distribution);
}

std::vector<std::vector<Setting>> DrawTrials(const std::vector<RandomParameter>& parameters,
                                             std::size_t trials, std::uint64_t seed) {
  std::vector<std::vector<Setting>> all(trials);
  for (const RandomParameter& parameter : parameters) {
    const std::uint64_t of_parameter = SeedFor(seed, HashOf(parameter.name));
    for (std::size_t trial = 0; trial < trials; ++trial)
      all[trial].push_back(
          {parameter.name,
           ValueAt(parameter.values, Random(SeedFor(of_parameter, trial)).Uniform())});
  }
  return all;
}

}  // namespace ebb::sweep
