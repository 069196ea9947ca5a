#pragma once
// A tier: a threshold, a longest wait and a priority under one name, so that people say "tier 2"
// instead of three numbers. A job gets the values of its tier when it is read; its own values
// override them. Seen in: Compute Gardener.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"

namespace ebb::core {

struct Tier {
  std::string name;
  std::optional<Intensity> threshold;  ///< absent: this tier gates by its longest wait alone
  Duration max_delay{};                ///< latest start, counted from submission
  int priority = 0;                    ///< a higher priority goes first if the policy orders by
                                       ///< priority
};

/// The three published tiers: 225 g/kWh within 24 h, 175 within 48 h, 125 within 96 h.
std::vector<Tier> PublishedTiers();

/// The tier with this name; nullptr if there is none.
const Tier* FindTier(std::span<const Tier> tiers, std::string_view name);

}  // namespace ebb::core
