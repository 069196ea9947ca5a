#include "audit/figures/had_it_waited.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

constexpr Ms kQuarter = 15 * 60'000, kDay = 24 * 3'600'000;
// A start counts as better only if the difference is more than rounding.
constexpr double kRounding = 1e-9;

void AddSteps(const Json& values, Steps& steps) {
  for (const Json& value : values) {
    const Ms begin = value.at(0).get<Ms>(), end = value.at(1).get<Ms>();
    // Known values take precedence over expected ones.
    const Ms from = steps.empty() ? begin : std::max(begin, steps.back().span.end);
    if (from < end) steps.push_back({{from, end}, value.at(2).get<double>(), 0});
  }
}

// The emissions in grams for a start at `start`; nullopt if a part of the energy has no intensity.
std::optional<double> GramsAt(const Rows& rows, Ms start, const Steps& expected) {
  const Sums sums = SumsOf(MovedTo(rows, start, expected));
  return sums.without > 0 ? std::nullopt : std::optional(sums.grams);
}

}  // namespace

std::optional<Waiting> HadItWaited(const RunFiles& files, const Rows& rows) {
  if (rows.empty() || !files.Has("outlook.json")) return std::nullopt;
  const Json outlook = Json::parse(files.Text("outlook.json"));
  const auto method = outlook.at("forecast_method").get<std::string>();
  if (method == "constant" || outlook.at("expected").empty()) return std::nullopt;
  Steps expected;
  AddSteps(outlook.at("known"), expected);
  AddSteps(outlook.at("expected"), expected);

  const Ms begin = Extent(rows).begin;
  const auto at_once = GramsAt(rows, begin, expected);
  if (!at_once) return std::nullopt;
  Waiting waiting{0, begin, outlook.at("forecast_issued_ms").get<Ms>(), *at_once, *at_once, method};
  Ms last = begin;
  for (Ms start = (begin / kQuarter + 1) * kQuarter; start - begin <= kDay; start += kQuarter) {
    const auto grams = GramsAt(rows, start, expected);
    if (!grams) continue;
    last = start;
    if (*grams >= waiting.grams * (1 - kRounding)) continue;
    waiting.grams = *grams;
    waiting.start = start;
  }
  if (last == begin) return std::nullopt;
  waiting.up_to = last - begin + kQuarter > kDay ? kDay : last - begin;
  return waiting;
}

}  // namespace ebb::audit
