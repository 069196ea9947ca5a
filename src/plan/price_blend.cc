#include "plan/price_blend.h"

#include <algorithm>

#include "core/signal/one_value.h"

namespace ebb::plan {
namespace {

// Time-weighted means over the time ahead.
struct Ahead {
  double carbon = 0, price = 0, lowest_price = 0;
};

double MeanOfForecast(const core::SignalView& view, Time end) {
  const auto mean = view.Mean({view.now, end});
  return mean ? mean->intensity.g_per_kwh : 0;
}

Ahead LookAhead(const core::SignalView& view, const core::PriceSeries& prices) {
  Time end = view.now + Duration{1};
  if (const core::Sample* current = view.Current()) end = current->interval.end;
  if (!view.forecast.series.empty()) end = std::max(end, view.forecast.series.span().end);
  Ahead ahead;
  ahead.carbon = MeanOfForecast(view, end);
  if (const auto mean = prices.Mean({view.now, end})) ahead.price = mean->per_kwh;
  const core::PriceSeries part = prices.Slice({view.now, end});
  for (const core::PriceSample& sample : part.samples())
    ahead.lowest_price = std::min(ahead.lowest_price, sample.per_kwh);
  return ahead;
}

// One series of the view, cut wherever carbon or price changes.
std::vector<core::Sample> BlendSeries(const core::IntensitySeries& series, Time from,
                                      const core::PriceSeries& prices, const PriceBlend& blend) {
  std::vector<core::Sample> blended;
  for (const core::Sample& sample : series.samples()) {
    if (sample.interval.end <= from) continue;
    const core::PriceSeries priced = prices.Slice(sample.interval);
    for (const core::PriceSample& price : priced.samples())
      blended.push_back({price.interval,
                         {std::max(0.0, blend.Of(sample.intensity.g_per_kwh, price.per_kwh))},
                         sample.status});
  }
  return blended;
}

// The price alone: unknown carbon is not a gap.
std::vector<core::Sample> PriceAlone(const core::PriceSeries& prices, Interval span,
                                     const PriceBlend& blend) {
  std::vector<core::Sample> samples;
  const core::PriceSeries part = prices.Slice(span);
  for (const core::PriceSample& price : part.samples())
    samples.push_back({price.interval,
                       {std::max(0.0, blend.Of(0, price.per_kwh))},
                       core::SampleStatus::kMeasured});
  return samples;
}

core::IntensitySeries SeriesOf(const core::SignalIdentity& identity,
                               std::vector<core::Sample> samples) {
  return core::IntensitySeries::Create(identity, std::move(samples))
      .value_or(core::IntensitySeries{});
}

}  // namespace

PriceBlend::PriceBlend(double weight, double mean_carbon, double mean_price, double lowest_price)
    : weight_(weight), base_(std::min(0.0, lowest_price)) {
  const double scale = weight * (mean_carbon > 0 ? mean_carbon : 1);
  const double mean = mean_price - base_;
  if (mean > 0)
    price_factor_ = scale / mean;
  else
    flat_ = scale;
}

core::SignalView BlendView(const core::SignalView& view, const core::PriceSeries& prices,
                           double weight, Time from) {
  const Ahead ahead = LookAhead(view, prices);
  const PriceBlend blend(weight, ahead.carbon, ahead.price, ahead.lowest_price);
  core::SignalView blended;
  blended.now = view.now;
  blended.forecast.issued = view.forecast.issued;
  // Prices may tell hours apart if carbon does not.
  if (weight <= 0 || core::KnowsHours(view)) blended.forecast.method = view.forecast.method;
  const core::SignalIdentity& identity = view.known.identity();
  if (weight >= 1) {
    const core::PriceSample* now = prices.At(view.now);
    const Time edge = now ? now->interval.end : view.now;
    blended.known = SeriesOf(identity, PriceAlone(prices, {from, edge}, blend));
    blended.forecast.series = SeriesOf(identity, PriceAlone(prices, {edge, Time::max()}, blend));
    return blended;
  }
  blended.known = SeriesOf(identity, BlendSeries(view.known, from, prices, blend));
  blended.forecast.series =
      SeriesOf(identity, BlendSeries(view.forecast.series, from, prices, blend));
  return blended;
}

}  // namespace ebb::plan
