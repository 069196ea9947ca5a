#include "plan/slot_prices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr std::array<Duration, 5> kSteps{minutes{5}, minutes{10}, minutes{15}, minutes{30},
                                         hours{1}};

using Values = std::vector<std::optional<double>>;

// The finest resolution of any forecast, no finer than asked: finer steps would hold equal prices.
Duration StepFor(const Problem& problem, Duration shortest) {
  Duration finest = kSteps.back();
  for (const SiteView& site : problem.sites) {
    if (!site.view) continue;
    for (const core::Sample& sample : site.view->forecast.series.samples())
      finest = std::min(finest, sample.interval.length());
  }
  finest = std::max(finest, shortest);
  for (const Duration step : kSteps)
    if (finest <= step) return step;
  return kSteps.back();
}

// Means over steps; one walk over the series.
void AddSeries(const core::IntensitySeries& series, Time begin, Duration step, Values& values) {
  std::vector<double> sums(values.size()), known_hours(values.size());
  const Time end = begin + step * static_cast<Duration::rep>(values.size());
  for (const core::Sample& sample : series.samples()) {
    Interval rest = Overlap(sample.interval, {begin, end});
    while (rest.length() > Duration::zero()) {
      const auto index = static_cast<std::size_t>((rest.begin - begin) / step);
      const Time edge = begin + step * static_cast<Duration::rep>(index + 1);
      const double part = Hours(std::min(edge, rest.end) - rest.begin);
      sums[index] += part * sample.intensity.g_per_kwh;
      known_hours[index] += part;
      rest.begin = edge;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i] && known_hours[i] > 0) values[i] = sums[i] / known_hours[i];
}

// The forecast at a quantile: P50 itself, or as far towards P10 or P90 as the quantile lies.
core::IntensitySeries AtQuantile(const core::Forecast& forecast, double risk) {
  const core::IntensitySeries& tail = risk < 0.5 ? forecast.p10 : forecast.p90;
  if (risk == 0.5 || tail.samples().size() != forecast.series.samples().size())
    return forecast.series;
  const double share = std::min(1.0, std::abs(risk - 0.5) / 0.4);
  std::vector<core::Sample> samples = forecast.series.samples();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    double& value = samples[i].intensity.g_per_kwh;
    value += share * (tail.samples()[i].intensity.g_per_kwh - value);
  }
  return core::IntensitySeries::Create(forecast.series.identity(), std::move(samples))
      .value_or(forecast.series);
}

double MeanOf(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Every gap takes the value a day earlier, or the last one before it, or the first one after it.
std::vector<double> FillGaps(const Values& values, Duration step) {
  const auto day = static_cast<std::size_t>(hours{24} / step);
  const auto first = std::find_if(values.begin(), values.end(),
                                  [](const auto& value) { return value.has_value(); });
  std::vector<double> filled(values.size(), first == values.end() ? 1.0 : **first);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i])
      filled[i] = *values[i];
    else if (i >= day)
      filled[i] = filled[i - day];
    else if (i > 0)
      filled[i] = filled[i - 1];
  }
  return filled;
}

struct Grid {
  Time begin{};
  Duration step{};
  std::size_t size = 0;
};

std::vector<double> FlatPrices(const core::SignalView* view, const Grid& grid) {
  const core::Sample* current = view ? view->Current() : nullptr;
  return std::vector<double>(grid.size, current ? current->intensity.g_per_kwh : 1.0);
}

std::vector<double> CarbonPrices(const core::SignalView* view, const Grid& grid, double risk) {
  if (!view || view->forecast.series.empty()) return FlatPrices(view, grid);
  // A day of the past stands behind the first step, so that a forecast shorter than a day repeats
  // what was, not its own few hours.
  const auto day = static_cast<std::size_t>(hours{24} / grid.step);
  Values values(grid.size + day);
  const Time begin = grid.begin - hours{24};
  AddSeries(view->known, begin, grid.step, values);
  AddSeries(AtQuantile(view->forecast, risk), begin, grid.step, values);
  std::vector<double> filled = FillGaps(values, grid.step);
  filled.erase(filled.begin(), filled.begin() + static_cast<std::ptrdiff_t>(day));
  return filled;
}

void BlendTariff(const std::vector<TariffSample>& tariff, double weight, const Grid& grid,
                 std::vector<double>& prices) {
  if (weight <= 0 || tariff.empty()) return;
  std::vector<double> money(grid.size, tariff.front().per_kwh);
  for (std::size_t i = 0, next = 0; i < grid.size; ++i) {
    const Time at = grid.begin + grid.step * static_cast<Duration::rep>(i);
    while (next + 1 < tariff.size() && tariff[next + 1].begin <= at) ++next;
    money[i] = tariff[next].per_kwh;
  }
  const double mean_carbon = MeanOf(prices), mean_money = MeanOf(money);
  if (mean_money <= 0) return;
  for (std::size_t i = 0; i < grid.size; ++i)
    prices[i] = (1 - weight) * prices[i] + weight * mean_carbon * money[i] / mean_money;
}

Grid GridOver(Interval span, Duration step) {
  const Time begin = span.begin - span.begin.time_since_epoch() % step;
  const auto size = static_cast<std::size_t>((span.end - begin + step - Duration{1}) / step);
  return {begin, step, std::max<std::size_t>(1, size)};
}

}  // namespace

std::vector<PriceCurve> MakePrices(const Problem& problem, Time end, Duration shortest_step,
                                   const PriceOptions& options) {
  const Grid grid = GridOver({problem.now, end}, StepFor(problem, shortest_step));
  std::vector<PriceCurve> curves;
  for (std::size_t site = 0; site < problem.cluster->sites.size(); ++site) {
    const core::SignalView* view = site < problem.sites.size() ? problem.sites[site].view : nullptr;
    std::vector<double> prices = CarbonPrices(view, grid, options.risk);
    if (site < options.tariffs.size())
      BlendTariff(options.tariffs[site], options.tariff_weight, grid, prices);
    curves.emplace_back(grid.begin, grid.step, std::move(prices));
  }
  return curves;
}

PriceCurve PriceOfSeries(const core::IntensitySeries& series, Interval span, Duration step) {
  const Grid grid = GridOver(span, step);
  Values values(grid.size);
  AddSeries(series, grid.begin, grid.step, values);
  return PriceCurve(grid.begin, grid.step, FillGaps(values, grid.step));
}

}  // namespace ebb::plan
