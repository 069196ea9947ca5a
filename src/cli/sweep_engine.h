#pragma once
// What decides in a sweep on this machine: made when it runs, when it is continued, and when its
// decisions are made again (`ebb audit`).

#include <memory>
#include <optional>
#include <string>

#include "config/scheduler_section.h"
#include "engine/engine.h"
#include "prices/price_source.h"

namespace ebb::cli {

struct SweepEngine {
  std::unique_ptr<engine::Engine> engine;
  std::optional<prices::PriceSource> prices;  ///< nothing: none were given
};

/// `now`: on the grid clock; prices are known some 400 days around it.
Result<SweepEngine> MakeSweepEngine(const std::string& policy, const config::PriceConfig& prices,
                                    Time now);

}  // namespace ebb::cli
