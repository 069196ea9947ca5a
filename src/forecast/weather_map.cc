#include "forecast/weather_map.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr std::size_t kWeekdays = 7;
// Each term at the hour, its mean over the day around it, and that mean a day earlier.
constexpr std::size_t kWeatherInputs = 3 * kWeatherTerms;
constexpr std::size_t kInputs = kWeatherInputs + 1 + kWeekdays;
// Input value of a term's usual spread. It is small, so that the penalty of 1 matters. It matters
// most for sun and temperature: their spread mostly comes from the day and the year, which the
// typical day knows.
constexpr double kTermScale = 0.1;
constexpr double kCalendarScale = 0.03;
constexpr double kPenalty = 1;
constexpr double kLeastRows = 56;  // rows per hour of the day
// Time constant with which the last half day of a run fades in hours after its end.
constexpr double kMemoryHours = 48;
constexpr std::size_t kRememberedHours = 12;
// A memory below this share is dropped.
constexpr double kLeastMemory = 0.05;

constexpr double kSunTerm_w_m2 = 100, kTemperatureTerm_k = 5;

constexpr std::array<WeatherDriver, kWeatherTerms> kDriverOf{
    WeatherDriver::kWind,        WeatherDriver::kWind,        WeatherDriver::kSun,
    WeatherDriver::kTemperature, WeatherDriver::kTemperature, WeatherDriver::kTemperature,
    WeatherDriver::kRain};

WeatherTerms Less(const WeatherTerms& a, const WeatherTerms& b) {
  WeatherTerms difference;
  for (std::size_t i = 0; i < kWeatherTerms; ++i) difference[i] = a[i] - b[i];
  return difference;
}

WeatherTerms Times(const WeatherTerms& terms, double factor) {
  WeatherTerms product;
  for (std::size_t i = 0; i < kWeatherTerms; ++i) product[i] = terms[i] * factor;
  return product;
}

Time WholeHour(const HourlyGrid& grid, std::size_t hour) {
  return std::chrono::floor<std::chrono::hours>(grid.BeginOf(hour));
}

// The mean over the day around each of the hours `first` to `end`, over the hours with known
// weather. Each mean is summed up anew, so that no sum depends on where the hours begin.
std::vector<WeatherTerms> DayMeans(const WeatherDeviations& deviations, std::size_t first,
                                   std::size_t end) {
  std::vector<WeatherTerms> means;
  for (std::size_t hour = first; hour < end; ++hour) {
    const std::size_t last = std::min(deviations.end(), hour + kHoursAfter + 1);
    WeatherTerms sum{};
    double count = 0;
    for (std::size_t i = std::max(deviations.first + kHoursBefore, hour) - kHoursBefore; i < last;
         ++i) {
      if (deviations.CoverageOf(i) == Coverage::kNone) continue;
      for (std::size_t term = 0; term < kWeatherTerms; ++term)
        sum[term] += deviations.hours[i - deviations.first][term];
      ++count;
    }
    means.push_back(count > 0 ? Times(sum, 1 / count) : sum);
  }
  return means;
}

// The weather inputs of each of the hours `first` to `end`.
std::vector<std::array<double, kWeatherInputs>> WeatherInputs(const WeatherDeviations& deviations,
                                                              const WeatherTerms& scale,
                                                              std::size_t first, std::size_t end) {
  const std::size_t from = std::max(deviations.first, first - std::min(first, kHoursPerDay));
  const std::vector<WeatherTerms> means = DayMeans(deviations, from, end);
  std::vector<std::array<double, kWeatherInputs>> rows(end - first);
  for (std::size_t hour = first; hour < end; ++hour) {
    const WeatherTerms& now = deviations.hours[hour - deviations.first];
    const WeatherTerms& day = means[hour - from];
    const WeatherTerms& before = means[std::max(from + kHoursPerDay, hour) - kHoursPerDay - from];
    for (std::size_t term = 0; term < kWeatherTerms; ++term) {
      auto* inputs = rows[hour - first].data() + term;
      inputs[0] = now[term] / scale[term];
      inputs[kWeatherTerms] = day[term] / scale[term];
      inputs[2 * kWeatherTerms] = before[term] / scale[term];
    }
  }
  return rows;
}

// The scale of each term. A term that never changes gets an infinite scale, which leaves it out of
// all sums.
WeatherTerms ScaleOf(const WeatherPast& past, std::size_t end) {
  WeatherTerms scale = past.Spread(end);
  for (double& term : scale) term = term > 1e-6 ? term / kTermScale : HUGE_VAL;
  return scale;
}

bool HasIntensity(const HourlyGrid& grid, std::size_t hour) {
  return grid.UnknownBefore(hour + 1) == grid.UnknownBefore(hour);
}

}  // namespace

std::string_view Name(WeatherDriver driver) {
  constexpr std::array<std::string_view, kWeatherDrivers> kNames{"wind", "sun", "temperature",
                                                                 "rain"};
  return kNames[static_cast<std::size_t>(driver)];
}

std::string_view UnitOf(WeatherDriver driver) {
  constexpr std::array<std::string_view, kWeatherDrivers> kUnits{"m/s", "W/m²", "K", ""};
  return kUnits[static_cast<std::size_t>(driver)];
}

// Terms in the order of WeatherTerms.
WeatherTerms TermsOf(const WeatherHour& weather) {
  const double wind = weather.wind_mps, t = weather.temperature_k;
  return {wind,
          wind * wind / 10,
          weather.shortwave_w_m2 / kSunTerm_w_m2,
          (t - 283) / kTemperatureTerm_k,
          std::max(0.0, 288 - t) / 5,
          std::max(0.0, t - 295) / 3,
          std::log1p(10 * std::max(0.0, weather.precipitation_mm_h))};
}

DriverShares DeparturesOf(const WeatherTerms& deviation) {
  return {deviation[0], deviation[2] * kSunTerm_w_m2, deviation[3] * kTemperatureTerm_k,
          deviation[6]};
}

void WeatherPast::Extend(const WeatherArchive& archive, const HourlyGrid& grid, std::size_t end) {
  for (std::size_t hour = deviations_.hours.size(); hour < end; ++hour) {
    const Time begin = WholeHour(grid, hour);
    const auto found = archive.At(begin, begin + static_cast<Duration::rep>(kSettledHours) * kHour);
    WeatherTerms usual, deviation{};
    for (std::size_t term = 0; term < kWeatherTerms; ++term) usual[term] = terms_[term].Next();
    const WeatherTerms terms = found ? TermsOf(*found->weather) : usual;
    // On the first day, no usual values are known.
    if (found && hour >= kHoursPerDay) deviation = Less(terms, usual);
    for (std::size_t term = 0; term < kWeatherTerms; ++term)
      terms_[term].Append(terms[term], found.has_value());
    deviations_.hours.push_back(deviation);
    deviations_.coverage.push_back(found ? Coverage::kRun : Coverage::kNone);
    unknown_before_.push_back(unknown_before_.back() + (found ? 0 : 1));
  }
}

WeatherTerms WeatherPast::Usual(std::size_t hour, std::size_t end) const {
  EBB_CHECK(end >= kHoursPerDay && hour >= end);
  WeatherTerms usual;
  for (std::size_t term = 0; term < kWeatherTerms; ++term)
    usual[term] = terms_[term].Ahead(end - 1, hour - end);
  return usual;
}

WeatherTerms WeatherPast::Spread(std::size_t end) const {
  WeatherTerms spread{};
  const double count = static_cast<double>(end) - static_cast<double>(unknown_before_[end]);
  for (std::size_t term = 0; term < kWeatherTerms && count > 0; ++term) {
    double sum = 0, squares = 0;
    for (std::size_t hour = 0; hour < end; ++hour)
      if (deviations_.coverage[hour] == Coverage::kRun) sum += terms_[term].value(hour);
    for (std::size_t hour = 0; hour < end; ++hour) {
      if (deviations_.coverage[hour] != Coverage::kRun) continue;
      const double difference = terms_[term].value(hour) - sum / count;
      squares += difference * difference;
    }
    spread[term] = std::sqrt(squares / count);
  }
  return spread;
}

namespace {

// Remembers the mean of the last covered hours for the uncovered hours after them.
class Memory {
 public:
  void Keep(const WeatherTerms& terms, std::size_t hour) {
    if (hour != end_) hours_.clear();
    hours_.push_back(terms);
    end_ = hour + 1;
  }
  // nullopt if there is no memory or it has faded.
  std::optional<WeatherTerms> At(std::size_t hour) const {
    if (hours_.empty()) return std::nullopt;
    const double left = std::exp(-static_cast<double>(hour + 1 - end_) / kMemoryHours);
    if (left < kLeastMemory) return std::nullopt;
    const std::size_t count = std::min(kRememberedHours, hours_.size());
    WeatherTerms sum{};
    for (std::size_t i = hours_.size() - count; i < hours_.size(); ++i)
      for (std::size_t term = 0; term < kWeatherTerms; ++term) sum[term] += hours_[i][term];
    return Times(sum, left / static_cast<double>(count));
  }

 private:
  std::vector<WeatherTerms> hours_;
  std::size_t end_ = 0;
};

}  // namespace

WeatherDeviations DeviationsAt(const WeatherArchive& archive, const HourlyGrid& grid,
                               const WeatherPast& past, std::size_t settled, std::size_t first,
                               std::size_t end, Time now) {
  // Within the unsettled hours, the usual values change only with the hour of the day.
  std::array<WeatherTerms, kHoursPerDay> usual;
  for (std::size_t hour = settled; hour < settled + kHoursPerDay; ++hour)
    usual[hour % kHoursPerDay] = past.Usual(hour, settled);
  const auto covered = [&](std::size_t hour) -> std::optional<WeatherTerms> {
    if (hour < settled) {
      if (past.deviations().CoverageOf(hour) == Coverage::kNone) return std::nullopt;
      return past.deviations().hours[hour];
    }
    const auto found = archive.At(WholeHour(grid, hour), now);
    if (!found) return std::nullopt;
    return Less(TermsOf(*found->weather), usual[hour % kHoursPerDay]);
  };
  WeatherDeviations result;
  result.first = first;
  Memory memory;
  for (std::size_t hour = first; hour < end; ++hour) {
    auto terms = covered(hour);
    Coverage coverage = Coverage::kRun;
    if (terms) {
      memory.Keep(*terms, hour);
    } else {
      terms = memory.At(hour);
      coverage = terms ? Coverage::kRemembered : Coverage::kNone;
    }
    result.hours.push_back(terms.value_or(WeatherTerms{}));
    result.coverage.push_back(coverage);
  }
  return result;
}

std::optional<WeatherMap> WeatherMap::Fit(const HourlyGrid& grid, const WeatherPast& past,
                                          std::size_t end) {
  const std::size_t begin = kWarmUpHours + kHoursPerDay;
  if (end <= begin + kHoursAfter) return std::nullopt;
  const std::size_t last = end - kHoursAfter;
  WeatherMap map;
  map.scale_ = ScaleOf(past, end);
  std::vector<NormalEquations> sums(kHoursPerDay, NormalEquations(kInputs, 1));
  const auto inputs = WeatherInputs(past.deviations(), map.scale_, begin, last);
  const TypicalDays& days = grid.days();
  for (std::size_t hour = begin; hour < last; ++hour) {
    if (past.deviations().coverage[hour] == Coverage::kNone || !HasIntensity(grid, hour)) continue;
    std::array<double, kInputs> row{};
    std::copy(inputs[hour - begin].begin(), inputs[hour - begin].end(), row.begin());
    row[kWeatherInputs] = kCalendarScale;
    const auto day =
        std::chrono::floor<std::chrono::days>(grid.BeginOf(hour)).time_since_epoch().count();
    row[kWeatherInputs + 1 + static_cast<std::size_t>((day % 7 + 7) % 7)] = kCalendarScale;
    const double target =
        (days.value(hour) - days.typical(hour - kHoursPerDay)) / days.Level(hour - kHoursPerDay);
    sums[hour % kHoursPerDay].AddRow(row, std::array<double, 1>{target});
  }
  if (sums[0].rows < kLeastRows) return std::nullopt;
  for (std::size_t hour = 0; hour < kHoursPerDay; ++hour) {
    const std::vector<double> weights = SolveRidge(SharedSums(sums, hour), kPenalty);
    map.weights_.insert(map.weights_.end(), weights.begin(), weights.begin() + kWeatherInputs);
  }
  return map;
}

std::vector<DriverShares> WeatherMap::Effects(const WeatherDeviations& deviations,
                                              std::size_t first, std::size_t end) const {
  std::vector<DriverShares> effects(end - first);
  const auto inputs = WeatherInputs(deviations, scale_, first, end);
  for (std::size_t hour = first; hour < end; ++hour) {
    const double* weights = weights_.data() + hour % kHoursPerDay * kWeatherInputs;
    for (std::size_t i = 0; i < kWeatherInputs; ++i)
      effects[hour - first][static_cast<std::size_t>(kDriverOf[i % kWeatherTerms])] +=
          weights[i] * inputs[hour - first][i];
  }
  return effects;
}

}  // namespace ebb::forecast
