#include "forecast/rows.h"

#include <algorithm>

#include "base/check.h"

namespace ebb::forecast {
namespace {

constexpr std::size_t kSamplesForStep = 49;
constexpr Duration kShortestStep{std::chrono::minutes{1}};
constexpr Duration kLongestStep{std::chrono::hours{24}};

}  // namespace

std::span<const core::Sample> KnownBy(const core::IntensitySeries& history, Time now,
                                      const core::Publication& publication) {
  const std::vector<core::Sample>& samples = history.samples();
  const auto end = std::upper_bound(samples.begin(), samples.end(), now,
                                    [&](Time time, const core::Sample& sample) {
                                      return time < publication.Of(sample.interval);
                                    });
  return {samples.begin(), end};
}

Time AsOf(std::span<const core::Sample> known, Time now, const core::Publication& publication) {
  if (!publication.lag() || known.empty()) return now;
  return std::min(now, known.back().interval.begin);
}

Duration StepOf(std::span<const core::Sample> known) {
  if (known.empty()) return std::chrono::hours{1};
  std::vector<Duration> lengths;
  for (const core::Sample& sample : known.last(std::min(kSamplesForStep, known.size())))
    lengths.push_back(sample.interval.length());
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return std::clamp(*middle, kShortestStep, kLongestStep);
}

std::vector<Interval> RowsAhead(std::span<const core::Sample> known, Time now, Duration horizon) {
  std::vector<Interval> rows;
  if (known.empty()) return rows;
  const Duration step = StepOf(known);
  const Time origin = known.front().interval.begin;
  const Time end = now + horizon;
  for (Time begin = std::max(now, known.back().interval.end); begin < end;) {
    const Time next = origin + ((begin - origin) / step + 1) * step;
    rows.push_back({begin, std::min(next, end)});
    begin = next;
  }
  return rows;
}

core::IntensitySeries ForecastSeries(const core::SignalIdentity& identity,
                                     std::span<const Interval> rows,
                                     std::span<const double> g_per_kwh) {
  EBB_CHECK(rows.size() == g_per_kwh.size());
  std::vector<core::Sample> samples;
  samples.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    samples.push_back(
        {rows[i], Intensity{std::max(0.0, g_per_kwh[i])}, core::SampleStatus::kForecast});
  auto series = core::IntensitySeries::Create(identity, std::move(samples));
  EBB_CHECK(series.has_value());
  return *std::move(series);
}

}  // namespace ebb::forecast
