#include "signals/generation/generation_mix.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"

namespace ebb::signals {
namespace {

// An upper limit for plausibility: no power system of the world generates as much.
constexpr double kHighestMegawatts = 5'000'000;
// Parts of all generation: kNegligible may be missing of a time, kMostUnknown of unknown fuel.
constexpr double kNegligible = 0.01;
constexpr double kMostUnknown = 0.1;

bool IsGeneration(Fuel fuel) { return fuel != Fuel::kStorage && fuel != Fuel::kImports; }

// The known megawatts of one time by category; a category without a known value is absent.
using Mix = std::map<std::string, const GenerationRow*>;

double Generated(const GenerationRow& row) { return std::max(0.0, *row.megawatts); }

// The mean generation of each category over the times at which it is known.
std::map<std::string, double> UsualMegawatts(const std::map<Time, Mix>& mixes) {
  struct Sum {
    double megawatts = 0, count = 0;
  };
  std::map<std::string, Sum> sums;
  for (const auto& [begin, mix] : mixes)
    for (const auto& [category, row] : mix) {
      sums[category].megawatts += Generated(*row);
      sums[category].count += 1;
    }
  std::map<std::string, double> usual;
  for (const auto& [category, sum] : sums) usual[category] = sum.megawatts / sum.count;
  return usual;
}

// Whether the usual generation of the categories that this time lacks is negligible.
bool IsWhole(const Mix& mix, const std::map<std::string, double>& usual) {
  double all = 0, missing = 0;
  for (const auto& [category, megawatts] : usual) {
    all += megawatts;
    if (!mix.contains(category)) missing += megawatts;
  }
  return missing <= kNegligible * all;
}

std::optional<double> MeanOf(const Mix& mix, core::Boundary boundary) {
  double grams = 0, known = 0, unknown = 0;
  for (const auto& [category, row] : mix) {
    const auto factor = GramsPerKwhOf(row->fuel, boundary);
    (factor ? known : unknown) += Generated(*row);
    grams += factor.value_or(0) * Generated(*row);
  }
  if (known <= 0 || unknown > kMostUnknown * (known + unknown)) return std::nullopt;
  return grams / known;
}

}  // namespace

Fuel FuelOf(std::span<const NamedFuel> names, std::string_view category) {
  const std::string wanted = Lowercase(category);
  for (const NamedFuel& named : names)
    if (Lowercase(named.category) == wanted) return named.fuel;
  return Fuel::kOther;
}

Result<std::optional<double>> MegawattsFrom(std::string_view field, const std::string& where) {
  const std::string_view text = Trim(field);
  if (text.empty()) return std::optional<double>();
  if (const auto number = ParseNumber(text)) return number;
  return Fail({ExitCode::kUnavailable, Quoted(text) + " is not a number of megawatts", where,
               "compare the answer with the operator's documentation"});
}

Result<std::vector<Point>> IntensityOf(const std::vector<GenerationRow>& rows, Duration step,
                                       core::Boundary boundary, const std::string& where) {
  std::map<Time, Mix> mixes;
  for (const GenerationRow& row : rows) {
    Mix& mix = mixes[row.begin];
    if (!IsGeneration(row.fuel)) continue;
    if (!row.megawatts) {
      mix.erase(row.category);
      continue;
    }
    if (!(std::abs(*row.megawatts) <= kHighestMegawatts))
      return Fail({ExitCode::kUnavailable,
                   FormatExact(*row.megawatts) + " MW at " + FormatTime(row.begin) +
                       " cannot be what a grid generates",
                   where, "compare the answer with the operator's documentation"});
    mix[row.category] = &row;
  }
  const std::map<std::string, double> usual = UsualMegawatts(mixes);
  std::vector<Point> points;
  for (const auto& [begin, mix] : mixes) {
    Point point{begin, begin + step, {}, core::SampleStatus::kMeasured};
    if (IsWhole(mix, usual)) point.value = MeanOf(mix, boundary);
    points.push_back(point);
  }
  return points;
}

}  // namespace ebb::signals
