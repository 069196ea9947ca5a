#pragma once
// A tier: a threshold, a longest wait and a priority under one name, so that people say "tier 2"
// and not three numbers. Jobs are given what their tier says when they are read; what a job says
// itself goes before it. Seen in: Compute Gardener.

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
  int priority = 0;                    ///< higher goes first where the policy orders by it
};

/// The published three: 225 g/kWh within 24 h, 175 within 48 h, 125 within 96 h.
std::vector<Tier> PublishedTiers();

/// Null: no tier is called that.
const Tier* FindTier(std::span<const Tier> tiers, std::string_view name);

}  // namespace ebb::core
