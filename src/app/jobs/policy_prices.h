#pragma once
// The electricity prices for a policy: when a queue begins, when it is continued, and when its
// decisions are repeated (`ebb store check`, `ebb audit`).

#include <optional>
#include <string>

#include "config/run/train_config.h"
#include "plan/make_policy.h"
#include "prices/price_source.h"

namespace ebb::app {

struct PolicyPrices {
  plan::PolicyOptions options;
  std::optional<prices::PriceSource> source;  ///< nullopt if no prices were given
};

/// `around`: on the grid clock; prices are read for some 400 days around it.
Result<PolicyPrices> PricesFor(const std::string& policy, const config::PriceConfig& prices,
                               Time around);

}  // namespace ebb::app
