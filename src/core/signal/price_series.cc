#include "core/signal/price_series.h"

#include <cmath>

#include "base/text.h"
#include "core/signal/step_lookup.h"

namespace ebb::core {

Result<PriceSeries> PriceSeries::Create(PriceIdentity identity, std::vector<PriceSample> samples) {
  const PriceSample* previous = nullptr;
  const auto fail = [&](const PriceSample& sample, const char* what) {
    return Fail({ExitCode::kConfiguration,
                 std::string(what) + " at " + FormatTime(sample.interval.begin), identity.source,
                 ""});
  };
  for (const PriceSample& sample : samples) {
    if (!std::isfinite(sample.per_kwh)) return fail(sample, "price is not a number");
    if (sample.interval.length() == Duration::zero()) return fail(sample, "interval is empty");
    if (previous && sample.interval.begin < previous->interval.end)
      return fail(sample, "interval begins before the previous one ends");
    previous = &sample;
  }
  PriceSeries series;
  series.identity_ = std::move(identity);
  series.samples_ = std::move(samples);
  return series;
}

const PriceSample* PriceSeries::At(Time time) const { return SampleAt(samples_, time); }
const PriceSample* PriceSeries::NextAfter(Time time) const { return SampleAfter(samples_, time); }

std::optional<PriceMean> PriceSeries::Mean(Interval window) const {
  double price_times_ms = 0;
  Duration known{0};
  for (auto it = FirstEndingAfter(samples_, window.begin);
       it != samples_.end() && it->interval.begin < window.end; ++it) {
    const Duration part = Overlap(it->interval, window).length();
    price_times_ms += it->per_kwh * static_cast<double>(part.count());
    known += part;
  }
  if (known == Duration::zero()) return std::nullopt;
  const auto known_ms = static_cast<double>(known.count());
  return PriceMean{price_times_ms / known_ms,
                   known_ms / static_cast<double>(window.length().count())};
}

PriceSeries PriceSeries::Slice(Interval window) const { return KnownAt(Time::max(), window); }

PriceSeries PriceSeries::KnownAt(Time now, Interval window) const {
  PriceSeries slice;
  slice.identity_ = identity_;
  for (auto it = FirstEndingAfter(samples_, window.begin);
       it != samples_.end() && it->interval.begin < window.end; ++it) {
    const Interval part = Overlap(it->interval, window);
    if (it->known_from <= now && part.length() > Duration::zero())
      slice.samples_.push_back({part, it->per_kwh, it->known_from});
  }
  return slice;
}

std::string DescribePrice(double per_kwh, const PriceIdentity& identity) {
  std::string text = FormatSignificant(per_kwh, 4);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return identity.currency.empty() ? text : text + " " + identity.currency + "/kWh";
}

}  // namespace ebb::core
