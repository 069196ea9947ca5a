#pragma once
// Holds objects back while electricity costs more than they accept (`ebb/price-threshold`, and
// Compute Gardener's annotation of that name), whenever the engine would release them. Their latest
// start goes before it, as in Compute Gardener's scheduler; a price that is not known holds nothing
// back.
//
// Values.

#include <memory>
#include <string>

#include "core/price_series.h"
#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

struct PriceGate {
  std::shared_ptr<const core::PriceSeries> prices{};  ///< nullptr: no prices are known
  /// Of objects without a latest start.
  Duration default_max_delay{std::chrono::hours{24}};

  /// Why it is not released now, one sentence; empty: it is. `start_up`: so much before its latest
  /// start it has to be released.
  std::string WhyNot(const GatedObject& object, Duration start_up, Time now) const;
};

}  // namespace ebb::kubernetes
