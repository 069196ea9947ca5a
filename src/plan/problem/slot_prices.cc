#include "plan/problem/slot_prices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "plan/deadline.h"
#include "plan/price_blend.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr std::array<Duration, 5> kSteps{minutes{5}, minutes{10}, minutes{15}, minutes{30},
                                         hours{1}};

using Values = std::vector<std::optional<double>>;

// The longest step, no longer than `step`, such that `at` lies on a line of its grid.
Duration AlignedStep(Duration step, Time at) {
  for (auto it = kSteps.rbegin(); it != kSteps.rend(); ++it)
    if (*it <= step && at.time_since_epoch() % *it == Duration::zero()) return *it;
  return kSteps.front();
}

// Tariffs change at times of their own: steps of an hour would smear a rate that begins at half
// past.
Duration StepOfTariffs(const PriceOptions& options, Interval span, Duration step) {
  if (options.tariff_weight <= 0) return step;
  for (const auto& series : options.tariffs) {
    if (!series) continue;
    const core::PriceSeries known = series->KnownAt(span.begin, span);
    for (std::size_t i = 1; i < known.samples().size(); ++i)
      step = AlignedStep(step, known.samples()[i].interval.begin);
  }
  return step;
}

// The finest resolution of any forecast or price, but no finer than `shortest`. Finer steps would
// only repeat prices.
Duration StepFor(const Problem& problem, Time end, Duration shortest, const PriceOptions& options) {
  Duration finest = kSteps.back();
  for (const SiteView& site : problem.sites) {
    if (!site.view) continue;
    for (const core::Sample& sample : site.view->forecast.series.samples())
      finest = std::min(finest, sample.interval.length());
  }
  finest = std::max(StepOfTariffs(options, {problem.now, end}, finest), shortest);
  for (const Duration step : kSteps)
    if (finest <= step) return step;
  return kSteps.back();
}

double ValueOf(const core::Sample& sample) { return sample.intensity.g_per_kwh; }
double ValueOf(const core::PriceSample& sample) { return sample.per_kwh; }

// Means over the steps, in one walk over the series.
template <typename Series>
void AddSeries(const Series& series, Time begin, Duration step, Values& values) {
  std::vector<double> sums(values.size()), known_hours(values.size());
  const Time end = begin + step * static_cast<Duration::rep>(values.size());
  for (const auto& sample : series.samples()) {
    Interval rest = Overlap(sample.interval, {begin, end});
    while (rest.length() > Duration::zero()) {
      const auto index = static_cast<std::size_t>((rest.begin - begin) / step);
      const Time edge = begin + step * static_cast<Duration::rep>(index + 1);
      const double part = Hours(std::min(edge, rest.end) - rest.begin);
      sums[index] += part * ValueOf(sample);
      known_hours[index] += part;
      rest.begin = edge;
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i] && known_hours[i] > 0) values[i] = sums[i] / known_hours[i];
}

// The forecast at a quantile: P50, or interpolated towards P10 or P90.
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

// Fills every gap with the value a day earlier, or with the last one before it, or with the first
// one after it.
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

// Prices if nothing is known: they are highest now, so that jobs that can wait do, and never below
// the known value of another site.
std::vector<double> AwaitedPrices(const Problem& problem, const Grid& grid) {
  constexpr double kPerStep = 0.9;
  double highest = 1;
  for (const SiteView& site : problem.sites)
    if (site.view && !site.view->known.empty())
      highest = std::max(highest, site.view->known.samples().back().intensity.g_per_kwh);
  std::vector<double> prices(grid.size);
  for (std::size_t i = 0; i < grid.size; ++i)
    prices[i] = highest * (1 + std::pow(kPerStep, static_cast<double>(i)));
  return prices;
}

std::vector<double> ExpectedPrices(const core::SignalView* view, const Grid& grid, double risk) {
  // A past day stands before the first step, so that a forecast shorter than a day repeats that day
  // and not its own few hours.
  const auto day = static_cast<std::size_t>(hours{24} / grid.step);
  Values values(grid.size + day);
  const Time begin = grid.begin - hours{24};
  AddSeries(view->known, begin, grid.step, values);
  AddSeries(AtQuantile(view->forecast, risk), begin, grid.step, values);
  std::vector<double> filled = FillGaps(values, grid.step);
  filled.erase(filled.begin(), filled.begin() + static_cast<std::ptrdiff_t>(day));
  return filled;
}

std::vector<double> CarbonPrices(const core::SignalView* view, const Grid& grid, double risk) {
  if (!view || view->forecast.series.empty()) return FlatPrices(view, grid);
  return ExpectedPrices(view, grid, risk);
}

// The prices of a site known now, at every step; empty if nothing is known.
std::vector<double> TariffOf(const core::PriceSeries* series, Time now, const Grid& grid) {
  if (!series) return {};
  const auto day = static_cast<std::size_t>(hours{24} / grid.step);
  Values values(grid.size + day);
  const Time begin = grid.begin - hours{24};
  const Time end = grid.begin + grid.step * static_cast<Duration::rep>(grid.size);
  const core::PriceSeries known = series->KnownAt(now, {begin, end});
  if (known.empty()) return {};
  AddSeries(known, begin, grid.step, values);
  std::vector<double> filled = FillGaps(values, grid.step);
  filled.erase(filled.begin(), filled.begin() + static_cast<std::ptrdiff_t>(day));
  return filled;
}

// Turns the carbon of every site into carbon and price blended, by means over the sites that have
// prices, so that a dear site stays dear beside a cheap one.
void BlendTariffs(const PriceOptions& options, Time now, const Grid& grid,
                  std::vector<std::vector<double>>& prices) {
  std::vector<std::vector<double>> tariffs(prices.size());
  std::vector<double> all_carbon, all_money;
  for (std::size_t site = 0; site < prices.size() && site < options.tariffs.size(); ++site) {
    tariffs[site] = TariffOf(options.tariffs[site].get(), now, grid);
    if (tariffs[site].empty()) continue;
    all_carbon.insert(all_carbon.end(), prices[site].begin(), prices[site].end());
    all_money.insert(all_money.end(), tariffs[site].begin(), tariffs[site].end());
  }
  if (all_money.empty()) return;
  const double mean_money = MeanOf(all_money);
  const PriceBlend blend(options.tariff_weight, MeanOf(all_carbon), mean_money,
                         *std::min_element(all_money.begin(), all_money.end()));
  for (std::size_t site = 0; site < prices.size(); ++site)
    for (std::size_t i = 0; i < grid.size; ++i)
      prices[site][i] =
          blend.Of(prices[site][i], tariffs[site].empty() ? mean_money : tariffs[site][i]);
}

Grid GridOver(Interval span, Duration step) {
  const Time begin = span.begin - span.begin.time_since_epoch() % step;
  const auto size = static_cast<std::size_t>((span.end - begin + step - Duration{1}) / step);
  return {begin, step, std::max<std::size_t>(1, size)};
}

}  // namespace

std::vector<PriceCurve> MakePrices(const Problem& problem, Time end, Duration shortest_step,
                                   const PriceOptions& options) {
  const Grid grid = GridOver({problem.now, end}, StepFor(problem, end, shortest_step, options));
  std::vector<std::vector<double>> prices;
  for (std::size_t site = 0; site < problem.cluster->sites.size(); ++site) {
    const core::SignalView* view = site < problem.sites.size() ? problem.sites[site].view : nullptr;
    const bool unknown = site < problem.sites.size() && NothingKnown(problem.sites[site]);
    prices.push_back(unknown ? AwaitedPrices(problem, grid)
                             : CarbonPrices(view, grid, options.risk));
  }
  if (options.tariff_weight > 0) BlendTariffs(options, problem.now, grid, prices);
  std::vector<PriceCurve> curves;
  for (std::vector<double>& site : prices)
    curves.emplace_back(grid.begin, grid.step, std::move(site));
  return curves;
}

std::vector<std::optional<double>> ExpectedIntensities(const core::SignalView* view,
                                                       const PriceCurve& curve, double risk) {
  Values values(curve.size());
  if (!view) return values;
  if (view->forecast.series.empty()) {
    AddSeries(view->known, curve.begin(), curve.step(), values);
    return values;
  }
  const auto expected = ExpectedPrices(view, {curve.begin(), curve.step(), curve.size()}, risk);
  return {expected.begin(), expected.end()};
}

PriceCurve PriceOfSeries(const core::IntensitySeries& series, Interval span, Duration step) {
  const Grid grid = GridOver(span, step);
  Values values(grid.size);
  AddSeries(series, grid.begin, grid.step, values);
  return PriceCurve(grid.begin, grid.step, FillGaps(values, grid.step));
}

}  // namespace ebb::plan
