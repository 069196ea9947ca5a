#include "train/language/adapter/lora_linear.h"

#include <torch/csrc/autograd/custom_function.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "train/language/products/dropout_kernel.h"
#include "train/language/products/linear_product.h"

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr std::int64_t kNormRows = 256;
constexpr std::int64_t kGrainPairs = 1 << 15;

// The elements that dropout keeps, for the rows of an input. The same seed keeps the same ones.
class Dropout {
 public:
  Dropout(const Tensor& rows, const LoraUse& use) : keep_(1 - use.dropout) {
    if (use.dropout <= 0)
      kept_ = rows;
    else if (rows.is_cuda())
      DrawOnCuda(rows, use);
    else
      Draw(rows, use);
  }

  /// The input after dropout.
  const Tensor& kept() const { return kept_; }
  /// A gradient of the input after dropout becomes one of the input.
  Tensor Backward(const Tensor& gradient) const {
    if (!mask_.defined()) return gradient;
    return mask_.is_cuda() ? at::_masked_scale(gradient, mask_, 1 / keep_) : gradient * mask_;
  }

 private:
  // LibTorch's kernel draws, multiplies and writes the mask in one pass.
  void DrawOnCuda(const Tensor& rows, const LoraUse& use) {
    thread_local at::Generator generator =
        at::globalContext().defaultGenerator(rows.device()).clone();
    generator.set_current_seed(use.seed);
    std::tie(kept_, mask_) = at::_fused_dropout(rows, keep_, generator);
  }

  void Draw(const Tensor& rows, const LoraUse& use) {
    Tensor factors = torch::empty(rows.sizes(), torch::dtype(torch::kFloat32));
    const std::int64_t pairs = (factors.numel() + 1) / 2;
    at::parallel_for(0, pairs, kGrainPairs, [&](std::int64_t begin, std::int64_t end) {
      const std::int64_t first = 2 * begin, count = std::min(2 * end, factors.numel()) - first;
      DrawFactors({use.seed, use.dropout}, first,
                  {factors.data_ptr<float>() + first, static_cast<std::size_t>(count)});
    });
    mask_ = factors.to(rows.options());
    kept_ = rows * mask_;
  }

  double keep_;
  Tensor kept_;
  Tensor mask_;  ///< CUDA: bytes; else factors of the rows' type
};

Tensor Rows(const Tensor& x) { return x.reshape({-1, x.size(-1)}); }

// The shape of x with another last dimension.
std::vector<std::int64_t> SizesWithLast(const Tensor& x, std::int64_t last) {
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = last;
  return sizes;
}

// Returns x W^T + bias without a graph.
Tensor Applied(const Tensor& x, const Linear& linear) {
  if (linear.weight.is_plain()) return LinearProduct(x, linear.weight.plain(), linear.bias);
  Tensor y = linear.weight.Times(Rows(x));
  if (linear.bias.defined()) y.add_(linear.bias);
  return y.view(SizesWithLast(x, linear.weight.rows()));
}

// A projection in a form that a graph can keep.
struct Held : torch::CustomClassHolder {
  explicit Held(Linear held) : linear(std::move(held)) {}
  Linear linear;
};

// Works for all forms of matrices: LibTorch's own linear would keep the decoded numbers of a matrix
// in fewer bits.
class FrozenFunction : public torch::autograd::Function<FrozenFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x,
                        const c10::intrusive_ptr<Held>& held) {
    context->saved_data["linear"] = c10::IValue::make_capsule(held);
    return Applied(x, held->linear);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto capsule = context->saved_data["linear"].toCapsule();
    const FrozenMatrix& matrix = static_cast<const Held&>(*capsule).linear.weight;
    const Tensor gradient = matrix.TransposedTimes(Rows(gradients[0]));
    return {gradient.view(SizesWithLast(gradients[0], gradient.size(-1))), Tensor()};
  }
};

// Returns x W^T + bias, differentiable in x.
Tensor Frozen(const Tensor& x, const Linear& linear) {
  return FrozenFunction::apply(x, c10::make_intrusive<Held>(linear));
}

// The projections of a group in a form that a graph can keep.
struct HeldGroup : torch::CustomClassHolder {
  struct Member {
    Linear linear;
    bool has_pair = false;
    double scaling = 1;
    Tensor b;                                  ///< in the type of the arithmetic
    std::int64_t first = 0;                    ///< the pair's rows of `a`
    torch::ScalarType type = torch::kFloat32;  ///< type of the pair's own tensors

    std::int64_t rank() const { return b.size(1); }
  };
  std::vector<Member> members;
  Tensor a;  ///< all A below each other
  LoraUse use;
};

// The pairs' own tensors are arguments only so that their gradients arrive: the arithmetic uses
// their copies in the group.
class GroupFunction : public torch::autograd::Function<GroupFunction> {
 public:
  using Leaf = c10::optional<Tensor>;

  static tensor_list forward(AutogradContext* context, const Tensor& x,
                             const c10::intrusive_ptr<HeldGroup>& group, const Leaf& /*a0*/,
                             const Leaf& /*b0*/, const Leaf& /*a1*/, const Leaf& /*b1*/,
                             const Leaf& /*a2*/, const Leaf& /*b2*/) {
    const Tensor rows = Rows(x);
    const Tensor low = torch::mm(Dropout(rows, group->use).kept(), group->a.t());
    tensor_list outputs;
    for (const HeldGroup::Member& member : group->members) {
      Tensor y = Applied(x, member.linear);
      if (member.has_pair)
        y.view({-1, y.size(-1)})
            .addmm_(low.narrow(1, member.first, member.rank()), member.b.t(), 1, member.scaling);
      outputs.push_back(std::move(y));
    }
    context->save_for_backward({x, low});
    context->saved_data["group"] = c10::IValue::make_capsule(group);
    // The input of the first layer needs no gradient.
    context->saved_data["wants_input"] = x.requires_grad();
    return outputs;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &low = saved[1];
    const auto capsule = context->saved_data["group"].toCapsule();
    const auto& group = static_cast<const HeldGroup&>(*capsule);
    for (Tensor& gradient : gradients) gradient = Rows(gradient);
    const Tensor low_gradient = LowGradient(group, gradients, low);
    const Dropout dropout(Rows(x), group.use);
    tensor_list result(2 + 2 * kMaxGroup);
    AddPairGradients(group, gradients, low, torch::mm(low_gradient.t(), dropout.kept()), result);
    if (context->saved_data["wants_input"].toBool()) {
      Tensor x_gradient = dropout.Backward(torch::mm(low_gradient, group.a));
      for (std::size_t i = 0; i < group.members.size(); ++i)
        group.members[i].linear.weight.AddTransposedTimes(gradients[i], x_gradient);
      result[0] = x_gradient.view(x.sizes());
    }
    return result;
  }

 private:
  // The gradient of the product with all A.
  static Tensor LowGradient(const HeldGroup& group, const tensor_list& gradients,
                            const Tensor& low) {
    Tensor low_gradient = torch::empty_like(low);
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const HeldGroup::Member& member = group.members[i];
      if (!member.has_pair) continue;
      Tensor part = low_gradient.narrow(1, member.first, member.rank());
      at::addmm_out(part, part, gradients[i], member.b, /*beta=*/0, member.scaling);
    }
    return low_gradient;
  }

  static void AddPairGradients(const HeldGroup& group, const tensor_list& gradients,
                               const Tensor& low, const Tensor& a_gradient, tensor_list& result) {
    Tensor of_a;  // converted once for all of them
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const HeldGroup::Member& member = group.members[i];
      if (!member.has_pair) continue;
      if (!of_a.defined()) of_a = a_gradient.to(member.type);
      result[2 + 2 * i] = of_a.narrow(0, member.first, member.rank());
      Tensor b_gradient = torch::empty_like(member.b);
      at::addmm_out(b_gradient, b_gradient, gradients[i].t(),
                    low.narrow(1, member.first, member.rank()), /*beta=*/0, member.scaling);
      result[3 + 2 * i] = b_gradient.to(member.type);
    }
  }
};

c10::intrusive_ptr<HeldGroup> HeldGroupOf(std::span<const AdaptedProjection> projections,
                                          const GroupWeights& weights, const LoraUse& use) {
  auto group = c10::make_intrusive<HeldGroup>();
  group->a = weights.a;
  group->use = use;
  std::size_t pairs = 0;
  std::int64_t first = 0;
  for (const AdaptedProjection& projection : projections) {
    HeldGroup::Member member;
    member.linear = *projection.linear;
    if (const LoraPair* pair = projection.pair) {
      member.has_pair = true;
      member.scaling = pair->scaling;
      member.b = weights.b[pairs++];
      member.first = first;
      member.type = pair->a.scalar_type();
      first += member.rank();
    }
    group->members.push_back(std::move(member));
  }
  return group;
}

std::vector<Tensor> ApplyGroup(const Tensor& x, std::span<const AdaptedProjection> projections,
                               const GroupWeights& weights, const LoraUse& use) {
  std::array<GroupFunction::Leaf, 2 * kMaxGroup> leaves;
  for (std::size_t i = 0; i < projections.size(); ++i)
    if (projections[i].pair != nullptr) {
      leaves[2 * i] = projections[i].pair->a;
      leaves[2 * i + 1] = projections[i].pair->b;
    }
  return GroupFunction::apply(x, HeldGroupOf(projections, weights, use), leaves[0], leaves[1],
                              leaves[2], leaves[3], leaves[4], leaves[5]);
}

// Returns y = W x + (m / |V| - 1) W d + m / |V| scaling B A d, where d is x after dropout and V the
// adapted weight, whose norm counts as a constant (section 4.3 of the paper, and PEFT).
Tensor Decomposed(const Tensor& x, const Tensor& dropped, const Linear& linear,
                  const LoraPair& pair) {
  const Tensor factor = (pair.magnitude / RowNorms(linear.weight, pair)).to(x.scalar_type());
  const Linear without_bias{linear.weight, {}};
  const Tensor plain = Frozen(x, without_bias);
  const Tensor plain_dropped = dropped.is_same(x) ? plain : Frozen(dropped, without_bias);
  const Tensor low =
      at::linear(at::linear(dropped, pair.a.to(x.scalar_type())), pair.b.to(x.scalar_type()));
  Tensor y = plain + (factor - 1) * plain_dropped + factor * low * pair.scaling;
  return linear.bias.defined() ? y + linear.bias : y;
}

// The same with a graph.
Tensor Dropped(const Tensor& x, const LoraUse& use) {
  if (use.dropout <= 0) return x;
  const torch::Tensor ones = torch::ones_like(Rows(x.detach()));
  return x * Dropout(ones, use).kept().view(x.sizes());
}

}  // namespace

std::vector<Tensor> ApplyProjections(const Tensor& x,
                                     std::span<const AdaptedProjection> projections,
                                     const GroupWeights& weights, const LoraUse& use) {
  EBB_CHECK(!projections.empty() && projections.size() <= kMaxGroup);
  const auto has_pair = [](const AdaptedProjection& one) { return one.pair != nullptr; };
  const auto decomposes = [](const AdaptedProjection& one) {
    return one.pair != nullptr && one.pair->magnitude.defined();
  };
  if (std::ranges::none_of(projections, decomposes) && std::ranges::any_of(projections, has_pair))
    return ApplyGroup(x, projections, weights, use);
  std::vector<Tensor> outputs;
  Tensor dropped;
  for (const AdaptedProjection& one : projections) {
    if (one.pair != nullptr && !dropped.defined()) dropped = Dropped(x, use);
    outputs.push_back(one.pair != nullptr ? Decomposed(x, dropped, *one.linear, *one.pair)
                                          : Frozen(x, *one.linear));
  }
  return outputs;
}

Tensor RowNorms(const FrozenMatrix& weight, const LoraPair& pair) {
  const torch::NoGradGuard no_grad;
  // A matrix that is not plain is never decoded as a whole.
  const std::int64_t chunk = weight.is_plain() ? weight.rows() : kNormRows;
  std::vector<Tensor> norms;
  for (std::int64_t first = 0; first < weight.rows(); first += chunk) {
    const std::int64_t count = std::min(chunk, weight.rows() - first);
    norms.push_back(torch::addmm(weight.Rows(first, count).to(pair.a.scalar_type()),
                                 pair.b.narrow(0, first, count), pair.a, 1, pair.scaling)
                        .norm(2, 1));
  }
  return torch::cat(norms);
}

}  // namespace ebb::train
