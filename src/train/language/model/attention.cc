#include "train/language/model/attention.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr std::int64_t kBlockRows = 128;

struct Sizes {
  std::int64_t batch, groups, per_group, queries, keys, width;
  std::int64_t offset() const { return keys - queries; }
};

Sizes SizesOf(const Tensor& query, const Tensor& key) {
  return {query.size(0), key.size(1), query.size(1) / key.size(1),
          query.size(2), key.size(2), query.size(3)};
}

// Rows [begin, end) of the queries; these may see the keys [0, offset + end).
struct Block {
  std::int64_t begin, end, visible;
  std::int64_t rows() const { return end - begin; }
};

// {B, heads, T, D} -> {B * groups, per_group * rows, D}: the heads of a group share keys.
Tensor RowsOf(const Tensor& x, const Sizes& sizes, const Block& block) {
  return x.view({sizes.batch * sizes.groups, sizes.per_group, sizes.queries, sizes.width})
      .narrow(2, block.begin, block.rows())
      .reshape({sizes.batch * sizes.groups, sizes.per_group * block.rows(), sizes.width});
}

Tensor Flat(const Tensor& x, const Sizes& sizes) {
  return x.reshape({sizes.batch * sizes.groups, sizes.keys, sizes.width});
}

// -inf where a row may not look, otherwise 0: {rows, rows}, the last columns of a block.
Tensor UpperTriangle(std::int64_t rows, const torch::TensorOptions& options) {
  return torch::full({rows, rows}, -std::numeric_limits<double>::infinity(), options).triu_(1);
}

// True where a row looks before its sequence's first token: {B, 1, 1, rows, visible}.
Tensor BeforeStart(const Tensor& starts, const Sizes& sizes, const Block& block) {
  const Tensor first = starts.narrow(1, sizes.offset() + block.begin, block.rows());
  const Tensor keys = torch::arange(block.visible, starts.options());
  return (keys.view({1, 1, -1}) < first.unsqueeze(-1)).unsqueeze(1).unsqueeze(1);
}

class Attention {
 public:
  Attention(const Tensor& query, const Tensor& key, const Tensor& starts, double divisor)
      : sizes_(SizesOf(query, key)),
        scale_(1 / std::sqrt(divisor > 0 ? divisor : static_cast<double>(sizes_.width))),
        starts_(starts),
        options_(query.options()) {}

  // The weights of a block: {B * groups, per_group * rows, visible}.
  Tensor Weights(const Tensor& rows, const Tensor& keys, const Block& block) const {
    Tensor scores = torch::bmm(rows, keys.narrow(1, 0, block.visible).transpose(1, 2)).mul_(scale_);
    Tensor by_row =
        scores.view({sizes_.batch, sizes_.groups, sizes_.per_group, block.rows(), block.visible});
    if (block.rows() > 1)
      by_row.narrow(4, block.visible - block.rows(), block.rows())
          .add_(UpperTriangle(block.rows(), options_));
    if (starts_.defined())
      by_row.masked_fill_(BeforeStart(starts_, sizes_, block),
                          -std::numeric_limits<double>::infinity());
    const auto inside = torch::promote_types(scores.scalar_type(), torch::kFloat32);
    return torch::softmax(scores, -1, inside).to(scores.scalar_type());
  }

  template <typename Visit>
  void ForEachBlock(const Visit& visit) const {
    for (std::int64_t begin = 0; begin < sizes_.queries; begin += kBlockRows) {
      const std::int64_t end = std::min(begin + kBlockRows, sizes_.queries);
      visit(Block{begin, end, sizes_.offset() + end});
    }
  }

  // {B, T, heads, D} <-> the rows of a block.
  Tensor Slot(const Tensor& output, const Block& block) const {
    return output
        .view({sizes_.batch, sizes_.queries, sizes_.groups, sizes_.per_group, sizes_.width})
        .narrow(1, block.begin, block.rows())
        .permute({0, 2, 3, 1, 4});
  }
  std::vector<std::int64_t> SlotSizes(const Block& block) const {
    return {sizes_.batch, sizes_.groups, sizes_.per_group, block.rows(), sizes_.width};
  }
  Tensor RowsOfSlot(const Tensor& output, const Block& block) const {
    return Slot(output, block)
        .reshape({sizes_.batch * sizes_.groups, sizes_.per_group * block.rows(), sizes_.width});
  }

  const Sizes& sizes() const { return sizes_; }
  double scale() const { return scale_; }

 private:
  Sizes sizes_;
  double scale_;
  Tensor starts_;
  torch::TensorOptions options_;
};

class AttentionFunction : public torch::autograd::Function<AttentionFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& query, const Tensor& key,
                        const Tensor& value, const c10::optional<Tensor>& starts, double divisor) {
    context->save_for_backward({query, key, value, starts.value_or(Tensor())});
    context->saved_data["divisor"] = divisor;
    const Attention attention(query, key, starts.value_or(Tensor()), divisor);
    const Sizes& sizes = attention.sizes();
    const Tensor keys = Flat(key, sizes), values = Flat(value, sizes);
    Tensor output =
        torch::empty({sizes.batch, sizes.queries, query.size(1), sizes.width}, query.options());
    attention.ForEachBlock([&](const Block& block) {
      const Tensor weights = attention.Weights(RowsOf(query, sizes, block), keys, block);
      attention.Slot(output, block)
          .copy_(torch::bmm(weights, values.narrow(1, 0, block.visible))
                     .view(attention.SlotSizes(block)));
    });
    return output;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &query = saved[0], &key = saved[1], &value = saved[2];
    const Attention attention(query, key, saved[3], context->saved_data["divisor"].toDouble());
    const Sizes& sizes = attention.sizes();
    const Tensor keys = Flat(key, sizes), values = Flat(value, sizes);
    const Tensor gradient = gradients[0].contiguous();
    Tensor query_gradient = torch::empty_like(query);
    Tensor key_gradient = torch::zeros_like(keys), value_gradient = torch::zeros_like(values);
    attention.ForEachBlock([&](const Block& block) {
      const Tensor rows = RowsOf(query, sizes, block);
      const Tensor weights = attention.Weights(rows, keys, block);
      const Tensor out = attention.RowsOfSlot(gradient, block);
      value_gradient.narrow(1, 0, block.visible).baddbmm_(weights.transpose(1, 2), out);
      const Tensor of_weights = torch::bmm(out, values.narrow(1, 0, block.visible).transpose(1, 2));
      const Tensor of_scores =
          at::_softmax_backward_data(of_weights, weights, -1, weights.scalar_type())
              .mul_(attention.scale());
      key_gradient.narrow(1, 0, block.visible).baddbmm_(of_scores.transpose(1, 2), rows);
      query_gradient.view({sizes.batch, sizes.groups, sizes.per_group, sizes.queries, sizes.width})
          .narrow(3, block.begin, block.rows())
          .copy_(torch::bmm(of_scores, keys.narrow(1, 0, block.visible))
                     .view(attention.SlotSizes(block)));
    });
    return {query_gradient, key_gradient.view(key.sizes()), value_gradient.view(value.sizes()),
            Tensor(), Tensor()};
  }
};

}  // namespace

Tensor CausalAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                       const Tensor& starts, double divisor) {
  return AttentionFunction::apply(query.contiguous(), key.contiguous(), value.contiguous(),
                                  starts.defined() ? c10::optional<Tensor>(starts) : c10::nullopt,
                                  divisor);
}

}  // namespace ebb::train
