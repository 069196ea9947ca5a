#pragma once
// An adapter's matrices as the arithmetic of a forward pass needs them: in its type, and those A
// that share an input below each other, so that one product serves all. Made for each pass, because
// the adapter learns in between.

#include <array>
#include <vector>

#include "train/language/adapter/adapter.h"
#include "train/libtorch.h"

namespace ebb::train {

/// The projections of a layer that share an input.
inline constexpr std::size_t kGroupCount = 4;
inline constexpr std::size_t kQueryKeyValueGroup = 0, kOutputGroup = 1, kGateUpGroup = 2,
                             kDownGroup = 3;
inline constexpr std::array<std::array<Projection, 3>, kGroupCount> kGroups{{
    {Projection::kQuery, Projection::kKey, Projection::kValue},
    {Projection::kOutput, Projection::kOutput, Projection::kOutput},
    {Projection::kGate, Projection::kUp, Projection::kUp},
    {Projection::kDown, Projection::kDown, Projection::kDown},
}};
inline constexpr std::array<std::size_t, kGroupCount> kGroupSizes{3, 1, 2, 1};

/// The pairs of a group, in the order of its projections; those without a pair are left out.
struct GroupWeights {
  torch::Tensor a;               ///< {sum of ranks, in}, in the order of the pairs
  std::vector<torch::Tensor> b;  ///< {out, rank} of each pair
};

class AdapterWeights {
 public:
  AdapterWeights() = default;
  AdapterWeights(const Adapter& adapter, torch::ScalarType type);

  const GroupWeights& Of(std::size_t layer, std::size_t group) const {
    return layers_[layer][group];
  }

 private:
  std::vector<std::array<GroupWeights, kGroupCount>> layers_;
};

}  // namespace ebb::train
