#include "forecast/path_forecast.h"

#include <algorithm>
#include <cmath>

#include "forecast/rows.h"

namespace ebb::forecast {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr Duration kDay{std::chrono::days{1}};
constexpr Duration kShapeDays{std::chrono::days{14}};
// Time constant with which the deviation of the latest step inside an unfinished hour fades.
constexpr double kStepFadeHours = 3;

// The usual differences of the steps inside an hour from its mean, by step of the day. Zero if the
// history has steps of an hour or longer.
class ShapeInsideHour {
 public:
  ShapeInsideHour(const HourlyGrid& grid, std::span<const core::Sample> known)
      : origin_(grid.BeginOf(0)), step_(StepOf(known)) {
    if (step_ >= kHour) return;
    const std::size_t hours = grid.HoursIn(known);
    sums_.resize(static_cast<std::size_t>(kDay / step_) + 1);
    counts_.resize(sums_.size());
    const Time from = known.back().interval.end - kShapeDays;
    for (std::size_t i = known.size(); i-- > 0 && known[i].interval.begin >= from;) {
      const auto hour = static_cast<std::size_t>((known[i].interval.begin - origin_) / kHour);
      if (hour >= hours) continue;
      const std::size_t slot = SlotOf(known[i].interval.begin);
      sums_[slot] += known[i].intensity.g_per_kwh - grid.value(hour);
      counts_[slot] += 1;
    }
  }

  double At(Time time) const {
    if (sums_.empty()) return 0;
    const std::size_t slot = SlotOf(time);
    return counts_[slot] > 0 ? sums_[slot] / counts_[slot] : 0;
  }

 private:
  std::size_t SlotOf(Time time) const {
    return static_cast<std::size_t>((time - origin_) % kDay / step_);
  }

  Time origin_;
  Duration step_;
  std::vector<double> sums_, counts_;
};

// An hourly path as a function of time. Beyond its end, the last deviation and band go on.
class PathInTime {
 public:
  PathInTime(const HourlyPath& path, Time begin) : path_(path), begin_(begin) {}

  enum class Part { kMedian, kLow, kHigh };
  double Mean(Interval row, Part part) const {
    double sum = 0;
    for (Time time = row.begin; time < row.end;) {
      const std::size_t lead = LeadOf(time);
      const Time next = std::min(row.end, begin_ + static_cast<Duration::rep>(lead + 1) * kHour);
      sum += At(lead, part) * Hours(next - time);
      time = next;
    }
    return sum / Hours(row.length());
  }

 private:
  std::size_t LeadOf(Time time) const { return static_cast<std::size_t>((time - begin_) / kHour); }
  double At(std::size_t lead, Part part) const {
    const std::size_t last = std::min(lead, kLeads - 1);
    if (part == Part::kLow) return path_.low[last];
    if (part == Part::kHigh) return path_.high[last];
    const std::size_t typical = lead < kLeads ? lead : lead % kHoursPerDay;
    return path_.typical[typical] + path_.deviation[last];
  }

  const HourlyPath& path_;
  Time begin_;
};

}  // namespace

core::Forecast ForecastOf(const HourlyPath& path, const HourlyGrid& grid,
                          std::span<const core::Sample> known, const core::SignalIdentity& identity,
                          Interval window) {
  using Part = PathInTime::Part;
  const Time path_begin = grid.BeginOf(grid.HoursIn(known));
  const PathInTime ahead(path, path_begin);
  const ShapeInsideHour shape(grid, known);
  const auto median = [&](Interval row) {
    return ahead.Mean(row, Part::kMedian) + shape.At(row.begin);
  };
  // Steps of an unfinished hour say more than the model, which has not seen them.
  const core::Sample& latest = known.back();
  const bool unfinished = latest.interval.begin >= path_begin;
  const double surprise = unfinished ? latest.intensity.g_per_kwh - median(latest.interval) : 0;

  const std::vector<Interval> rows = RowsAhead(known, window.begin, window.length());
  std::vector<double> p50, p10, p90;
  for (const Interval& row : rows) {
    const double fade = std::exp(-Hours(row.begin - latest.interval.begin) / kStepFadeHours);
    p50.push_back(std::max(0.0, median(row) + surprise * fade));
    if (path.low.empty()) continue;
    p10.push_back(p50.back() + ahead.Mean(row, Part::kLow));
    p90.push_back(p50.back() + ahead.Mean(row, Part::kHigh));
  }
  core::Forecast forecast{window.begin, "", ForecastSeries(identity, rows, p50), {}, {}};
  if (path.low.empty()) return forecast;
  forecast.p10 = ForecastSeries(identity, rows, p10);
  forecast.p90 = ForecastSeries(identity, rows, p90);
  return forecast;
}

}  // namespace ebb::forecast
