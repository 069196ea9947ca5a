#include "prices/price_source.h"

#include "base/check.h"

namespace ebb::prices {

Time Publication::Of(Time time) const {
  const auto day = std::chrono::floor<std::chrono::days>(clock.LocalOf(time));
  return clock.UtcOf(day - std::chrono::days{1} + time_of_day);
}

core::PriceSeries AsPublished(const core::PriceSeries& series, const Publication& publication) {
  std::vector<core::PriceSample> samples = series.samples();
  for (core::PriceSample& sample : samples)
    if (sample.known_from == Time::min()) sample.known_from = publication.Of(sample.interval.begin);
  auto published = core::PriceSeries::Create(series.identity(), std::move(samples));
  EBB_CHECK(published.has_value());
  return *std::move(published);
}

const core::PriceIdentity& PriceSource::identity() const {
  if (const Tariff* time_of_use = tariff()) return time_of_use->identity;
  return std::get<core::PriceSeries>(prices_).identity();
}

core::PriceSeries PriceSource::Over(Interval span) const {
  if (const Tariff* time_of_use = tariff()) return PricesOver(*time_of_use, span);
  return std::get<core::PriceSeries>(prices_).Slice(span);
}

}  // namespace ebb::prices
