#include "core/jobs/tier.h"

#include <algorithm>

namespace ebb::core {

std::vector<Tier> PublishedTiers() {
  using std::chrono::hours;
  return {{"1", Intensity{225}, hours{24}, 3},
          {"2", Intensity{175}, hours{48}, 2},
          {"3", Intensity{125}, hours{96}, 1}};
}

const Tier* FindTier(std::span<const Tier> tiers, std::string_view name) {
  const auto found = std::ranges::find(tiers, name, &Tier::name);
  return found == tiers.end() ? nullptr : &*found;
}

}  // namespace ebb::core
