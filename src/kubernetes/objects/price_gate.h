#pragma once
// Holds objects back while electricity costs more than they accept (`ebb/price-threshold`, and
// Compute Gardener's annotation of that name), whenever the engine would release them. Their latest
// start takes precedence, as in Compute Gardener's scheduler; an unknown price holds nothing back.
//
// Values.

#include <memory>
#include <string>

#include "core/signal/price_series.h"
#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

struct PriceGate {
  std::shared_ptr<const core::PriceSeries> prices{};  ///< nullptr: prices are unknown
  /// Longest wait of objects without a latest start.
  Duration default_max_delay{std::chrono::hours{24}};

  /// The reason, in one sentence, for which the object is not released now; empty: it is.
  /// `start_up`: it has to be released this long before its latest start.
  std::string WhyNot(const GatedObject& object, Duration start_up, Time now) const;
};

}  // namespace ebb::kubernetes
