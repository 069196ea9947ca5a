#include "train/language/adapter/adapter_weights.h"

#include <utility>

namespace ebb::train {
namespace {

using torch::Tensor;

// Matrices one behind the other in memory, converted together: one copy for hundreds of matrices.
class Converted {
 public:
  Converted(const std::vector<Tensor>& matrices, torch::ScalarType type) {
    std::vector<Tensor> flat;
    for (const Tensor& matrix : matrices) flat.push_back(matrix.detach().flatten());
    if (!flat.empty()) numbers_ = torch::cat(flat).to(type);
  }

  /// The next {rows, columns} of them.
  Tensor Next(std::int64_t rows, std::int64_t columns) {
    const Tensor matrix = numbers_.narrow(0, at_, rows * columns).view({rows, columns});
    at_ += rows * columns;
    return matrix;
  }

 private:
  Tensor numbers_;
  std::int64_t at_ = 0;
};

using Pairs = std::vector<const LoraPair*>;

Pairs PairsOf(const Adapter& adapter, std::size_t layer, std::size_t group) {
  Pairs pairs;
  for (std::size_t i = 0; i < kGroupSizes[group]; ++i) {
    const auto& pair = adapter.layers[layer][Index(kGroups[group][i])];
    if (pair) pairs.push_back(&*pair);
  }
  return pairs;
}

Tensor Stacked(const Pairs& pairs) {
  if (pairs.size() == 1) return pairs.front()->a.detach();
  std::vector<Tensor> all;
  for (const LoraPair* pair : pairs) all.push_back(pair->a.detach());
  return torch::cat(all);
}

}  // namespace

AdapterWeights::AdapterWeights(const Adapter& adapter, torch::ScalarType type)
    : layers_(adapter.layers.size()) {
  const torch::NoGradGuard no_grad;
  std::vector<Tensor> a, b;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer)
    for (std::size_t group = 0; group < kGroupCount; ++group)
      for (const LoraPair* pair : PairsOf(adapter, layer, group)) {
        a.push_back(pair->a);
        b.push_back(pair->b);
      }
  if (a.empty()) return;
  const bool converts = a.front().scalar_type() != type;
  Converted all_a(converts ? a : std::vector<Tensor>(), type),
      all_b(converts ? b : std::vector<Tensor>(), type);
  for (std::size_t layer = 0; layer < layers_.size(); ++layer)
    for (std::size_t group = 0; group < kGroupCount; ++group) {
      const Pairs pairs = PairsOf(adapter, layer, group);
      if (pairs.empty()) continue;
      GroupWeights& weights = layers_[layer][group];
      std::int64_t ranks = 0;
      for (const LoraPair* pair : pairs) {
        ranks += pair->a.size(0);
        weights.b.push_back(converts ? all_b.Next(pair->b.size(0), pair->b.size(1))
                                     : pair->b.detach());
      }
      weights.a = converts ? all_a.Next(ranks, pairs.front()->a.size(1)) : Stacked(pairs);
    }
}

}  // namespace ebb::train
