#pragma once
// A feed whose forecast is the truth, exact or with a seeded error: for upper bounds and for the
// cost of a wrong forecast. Known values and accounted values remain those of the inner feed. For
// simulation only. Its forecasts are labelled as perfect or noisy.

#include <memory>

#include "runtime/signal_feed.h"
#include "sim/scenario.h"

namespace ebb::sim {

/// Wraps `inner` for kPerfect or kNoise; returns it unchanged for other sources.
std::unique_ptr<runtime::SignalFeed> WithForecast(std::unique_ptr<runtime::SignalFeed> inner,
                                                  ForecastSource source,
                                                  const ForecastNoise& noise);

}  // namespace ebb::sim
