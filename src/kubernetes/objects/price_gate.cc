#include "kubernetes/objects/price_gate.h"

#include <algorithm>

namespace ebb::kubernetes {
namespace {

// The time from which the price is known to be no more than `most`; nothing: never, as far as
// prices are known.
std::optional<Time> NextAtMost(const core::PriceSeries& prices, double most, Time now) {
  for (const core::PriceSample* next = prices.NextAfter(now); next;
       next = prices.NextAfter(next->interval.begin))
    if (next->per_kwh <= most && next->known_from <= now) return next->interval.begin;
  return std::nullopt;
}

}  // namespace

std::string PriceGate::WhyNot(const GatedObject& object, Duration start_up, Time now) const {
  if (!object.most_price || !prices) return "";
  const core::Job& job = object.job;
  Time latest = job.start_by.value_or(object.created + default_max_delay);
  if (job.finish_by)
    latest = job.start_by ? std::min(latest, *job.finish_by - job.duration)
                          : *job.finish_by - job.duration;
  if (now >= latest - start_up) return "";
  const core::PriceSample* price = prices->At(now);
  if (!price || price->known_from > now || price->per_kwh <= *object.most_price) return "";
  const auto next = NextAtMost(*prices, *object.most_price, now);
  return core::DescribePrice(price->per_kwh, prices->identity()) + " is above its " +
         core::DescribePrice(*object.most_price, prices->identity()) + " until " +
         FormatTime(next ? std::min(*next, latest) : latest);
}

}  // namespace ebb::kubernetes
