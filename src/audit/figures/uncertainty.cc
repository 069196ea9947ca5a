#include "audit/figures/uncertainty.h"

#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace ebb::audit {
namespace {

constexpr Ms kHour = 3'600'000, kDay = 24 * kHour;
constexpr int kCpu = 0, kGpu = 1, kRam = 2;
constexpr int kCounter = 0, kModel = 2;

// The way in which energy was measured: component, source, shared by use.
using Way = std::tuple<int, int, bool>;

Way WayOf(const Row& row, bool whole_machine) {
  return {row.component, row.source, row.component == kGpu ? row.shared : !whole_machine};
}

// The bounds in the tables of docs/METHOD.md.
double BoundOf(const Way& way) {
  const auto [component, source, shared] = way;
  if (source == kModel) return 0.50;
  if (shared) return 0.30;
  if (component == kGpu) return source == kCounter ? 0.10 : 0.30;
  return component == kRam ? 0.20 : 0.10;
}
constexpr std::array kStatusBounds{0.10, 0.20, 0.35, 0.50};
constexpr std::array kWithinDay{0.8, 0.6, 0.6, 0.6};
constexpr std::array kAcrossDays{0.7, 0.4, 0.25, 0.3};

double Square(double x) { return x * x; }
std::size_t Index(int i) { return static_cast<std::size_t>(i); }

// N(D) of docs/METHOD.md: the variance of the sum of hourly grams, for errors of unit size.
double HoursVariance(const std::map<Ms, double>& by_hour, int status) {
  double sum = 0, squares = 0, squares_of_days = 0;
  std::map<Ms, double> by_day;
  for (const auto& [hour, grams] : by_hour) {
    sum += grams;
    squares += Square(grams);
    by_day[hour * kHour / kDay] += grams;
  }
  for (const auto& [day, grams] : by_day) squares_of_days += Square(grams);
  const double within = kWithinDay[Index(status)], across = kAcrossDays[Index(status)];
  return across * Square(sum) + (within - across) * squares_of_days + (1 - within) * squares;
}

}  // namespace

Uncertainty UncertaintyOf(const Rows& rows, bool whole_machine) {
  std::map<Way, double> joules;
  std::map<Way, std::map<int, double>> grams;
  std::map<int, double> by_status;
  Uncertainty sure;
  double all_joules = 0, all_grams = 0;
  for (const Row& row : rows) {
    const Way way = WayOf(row, whole_machine);
    if (row.source != kModel && !std::get<2>(way)) sure.measured += row.microjoules;
    joules[way] += static_cast<double>(row.microjoules) / 1e6;
    all_joules += static_cast<double>(row.microjoules) / 1e6;
    if (!row.g_per_kwh) continue;
    grams[way][row.status] += row.grams();
    by_status[row.status] += row.grams();
    all_grams += row.grams();
  }
  double energy = 0, emissions = 0;
  for (const auto& [way, sum] : joules) energy += Square(BoundOf(way) * sum);
  for (const auto& [status, sum] : by_status)
    emissions += Square(kStatusBounds[Index(status)] * sum);
  for (const auto& [way, of_way] : grams) {
    double sum = 0;
    for (const auto& [status, cell] : of_way) {
      sum += cell;
      emissions += Square(BoundOf(way) * kStatusBounds[Index(status)] * cell / 2);
    }
    emissions += Square(BoundOf(way) * sum);
  }
  if (all_joules > 0) sure.energy_share = std::sqrt(energy) / all_joules;
  if (all_grams > 0) sure.emissions_share = std::sqrt(emissions) / all_grams;
  return sure;
}

double HalfWidthOfSaving(const Rows& one, const Rows& other, bool whole_machine) {
  std::map<Way, double> by_way;
  std::map<int, std::map<Ms, double>> by_status;
  std::map<std::pair<Way, int>, std::map<Ms, double>> by_cell;
  const auto add = [&](const Rows& rows, double sign) {
    for (const Row& row : rows) {
      if (!row.g_per_kwh) continue;
      const Way way = WayOf(row, whole_machine);
      const Ms hour = row.grid.begin / kHour - (row.grid.begin % kHour < 0 ? 1 : 0);
      const double grams = sign * row.grams();
      by_way[way] += grams;
      by_status[row.status][hour] += grams;
      by_cell[{way, row.status}][hour] += grams;
    }
  };
  add(one, 1);
  add(other, -1);
  double sum = 0;
  for (const auto& [way, grams] : by_way) sum += Square(BoundOf(way) * grams);
  for (const auto& [status, hours] : by_status)
    sum += Square(kStatusBounds[Index(status)]) * HoursVariance(hours, status);
  for (const auto& [cell, hours] : by_cell)
    sum += Square(BoundOf(cell.first) * kStatusBounds[Index(cell.second)] / 2) *
           HoursVariance(hours, cell.second);
  return std::sqrt(sum);
}

std::vector<std::string> SourceTexts(const Rows& rows, bool whole_machine) {
  std::set<std::string> texts;
  for (const Row& row : rows) {
    const bool divided = row.source != kModel && std::get<2>(WayOf(row, whole_machine));
    texts.insert(std::string(kComponents[Index(row.component)]) + ": " +
                 kSources[Index(row.source)] +
                 (!divided                ? ""
                  : row.component == kGpu ? ", shared"
                                          : ", shared by use"));
  }
  return {texts.begin(), texts.end()};
}

std::vector<std::string> SourceTextsWithIntensity(const Rows& rows, bool whole_machine) {
  std::vector<std::string> all = SourceTexts(rows, whole_machine);
  std::set<std::string> texts;
  for (const Row& row : rows)
    texts.insert(std::string("intensity: ") +
                 (row.g_per_kwh ? kStatuses[Index(row.status)] : "unknown"));
  all.insert(all.end(), texts.begin(), texts.end());
  return all;
}

std::string Basis(std::int64_t measured, std::int64_t all) {
  if (measured == 0) return "estimated";
  return measured == all ? "measured" : "partly measured";
}

}  // namespace ebb::audit
