#pragma once
// What a policy knows of electricity prices: when a queue begins, when it is continued, and when
// its decisions are made again (`ebb store check`, `ebb audit`).

#include <optional>
#include <string>

#include "config/train_config.h"
#include "plan/make_policy.h"
#include "prices/price_source.h"

namespace ebb::app {

struct PolicyPrices {
  plan::PolicyOptions options;
  std::optional<prices::PriceSource> source;  ///< nothing: none were given
};

/// `around`: on the grid clock; prices are known some 400 days around it.
Result<PolicyPrices> PricesFor(const std::string& policy, const config::PriceConfig& prices,
                               Time around);

}  // namespace ebb::app
