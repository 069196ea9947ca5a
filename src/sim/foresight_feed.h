#pragma once
// A feed whose forecast is the truth, as it is or with a seeded error: for upper bounds and for
// asking how much a wrong forecast costs. What is known and what is accounted stays the inner
// feed's. For simulation only, and its forecasts say what they are.

#include <memory>

#include "runtime/signal_feed.h"
#include "sim/scenario.h"

namespace ebb::sim {

/// kPerfect or kNoise; other sources return `inner` as it is.
std::unique_ptr<runtime::SignalFeed> WithForecast(std::unique_ptr<runtime::SignalFeed> inner,
                                                  ForecastSource source,
                                                  const ForecastNoise& noise);

}  // namespace ebb::sim
