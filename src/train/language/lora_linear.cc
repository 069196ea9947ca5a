#include "train/language/lora_linear.h"

#include <torch/csrc/autograd/custom_function.h>

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "train/language/dropout_kernel.h"
#include "train/language/linear_product.h"

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

constexpr std::int64_t kNormRows = 256;
constexpr std::int64_t kGrainPairs = 1 << 15;

// A factor for each element: 0, or 1 / (1 - p). The same seed gives the same factors.
Tensor DropoutFactors(const Tensor& like, const LoraUse& use) {
  if (!like.is_cpu()) {
    at::Generator generator = at::globalContext().defaultGenerator(like.device()).clone();
    generator.set_current_seed(use.seed);
    return torch::empty_like(like).bernoulli_(1 - use.dropout, generator).div_(1 - use.dropout);
  }
  Tensor factors = torch::empty(like.sizes(), torch::dtype(torch::kFloat32));
  const std::int64_t pairs = (factors.numel() + 1) / 2;
  at::parallel_for(0, pairs, kGrainPairs, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = 2 * begin, count = std::min(2 * end, factors.numel()) - first;
    DrawFactors({use.seed, use.dropout}, first,
                {factors.data_ptr<float>() + first, static_cast<std::size_t>(count)});
  });
  return factors.to(like.scalar_type());
}

Tensor Dropped(const Tensor& x, const LoraUse& use) {
  return use.dropout > 0 ? x * DropoutFactors(x, use) : x;
}

// An absent tensor is an empty optional for LibTorch.
c10::optional<Tensor> Present(const Tensor& tensor) {
  return tensor.defined() ? c10::optional<Tensor>(tensor) : c10::nullopt;
}

Tensor Rows(const Tensor& x) { return x.reshape({-1, x.size(-1)}); }

// A matrix in a form that a graph can keep.
struct Held : torch::CustomClassHolder {
  explicit Held(FrozenMatrix held) : matrix(std::move(held)) {}
  FrozenMatrix matrix;
};

void Keep(AutogradContext* context, const c10::intrusive_ptr<Held>& held) {
  context->saved_data["weight"] = c10::IValue::make_capsule(held);
}

Tensor TransposedTimesKept(AutogradContext* context, const Tensor& y) {
  const auto capsule = context->saved_data["weight"].toCapsule();
  return static_cast<const Held&>(*capsule).matrix.TransposedTimes(y);
}

// Returns x W^T + bias without a graph.
Tensor Applied(const Tensor& x, const FrozenMatrix& matrix, const Tensor& bias) {
  if (matrix.is_plain()) return LinearProduct(x, matrix.plain(), bias);
  Tensor y = matrix.Times(Rows(x));
  if (bias.defined()) y.add_(bias);
  std::vector<std::int64_t> sizes = x.sizes().vec();
  sizes.back() = matrix.rows();
  return y.view(sizes);
}

// Works for all forms of matrices: LibTorch's own linear would keep the decoded numbers of a matrix
// in fewer bits.
class FrozenFunction : public torch::autograd::Function<FrozenFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x,
                        const c10::intrusive_ptr<Held>& held, const c10::optional<Tensor>& bias) {
    Keep(context, held);
    return Applied(x, held->matrix, bias.value_or(Tensor()));
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const Tensor gradient = TransposedTimesKept(context, Rows(gradients[0]));
    std::vector<std::int64_t> sizes = gradients[0].sizes().vec();
    sizes.back() = gradient.size(-1);
    return {gradient.view(sizes), Tensor(), Tensor()};
  }
};

// Returns x W^T + bias, differentiable in x.
Tensor Frozen(const Tensor& x, const FrozenMatrix& matrix, const Tensor& bias) {
  return FrozenFunction::apply(x, c10::make_intrusive<Held>(matrix), Present(bias));
}

class LoraFunction : public torch::autograd::Function<LoraFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x,
                        const c10::intrusive_ptr<Held>& held, const c10::optional<Tensor>& bias,
                        const Tensor& a, const Tensor& b, double scaling, double dropout,
                        std::int64_t seed) {
    const LoraUse use{dropout, static_cast<std::uint64_t>(seed)};
    Tensor y = Applied(x, held->matrix, bias.value_or(Tensor()));
    const Tensor low = torch::mm(Dropped(Rows(x), use), a.to(x.scalar_type()).t());
    y.view({-1, y.size(-1)}).addmm_(low, b.to(x.scalar_type()).t(), 1, scaling);
    context->save_for_backward({x, a, b, low});
    Keep(context, held);
    context->saved_data["scaling"] = scaling;
    context->saved_data["dropout"] = dropout;
    context->saved_data["seed"] = seed;
    // The input of the first layer needs no gradient.
    context->saved_data["wants_input"] = x.requires_grad();
    return y;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &a = saved[1], &b = saved[2], &low = saved[3];
    const double scaling = context->saved_data["scaling"].toDouble();
    const LoraUse use{context->saved_data["dropout"].toDouble(),
                      static_cast<std::uint64_t>(context->saved_data["seed"].toInt())};
    const Tensor gradient = Rows(gradients[0]);
    const Tensor low_gradient = torch::mm(gradient, b.to(gradient.scalar_type())).mul_(scaling);
    const Tensor factors = use.dropout > 0 ? DropoutFactors(Rows(x), use) : Tensor();
    const Tensor input = factors.defined() ? Rows(x) * factors : Rows(x);
    const Tensor a_gradient = torch::mm(low_gradient.t(), input).to(a.scalar_type());
    const Tensor b_gradient = torch::mm(gradient.t(), low).mul_(scaling).to(b.scalar_type());
    Tensor x_gradient;
    if (context->saved_data["wants_input"].toBool()) {
      x_gradient = TransposedTimesKept(context, gradient);
      const Tensor through = a.to(gradient.scalar_type());
      if (factors.defined())
        x_gradient.addcmul_(torch::mm(low_gradient, through), factors);
      else
        x_gradient.addmm_(low_gradient, through);
      x_gradient = x_gradient.view(x.sizes());
    }
    return {x_gradient, Tensor(), Tensor(), a_gradient, b_gradient, Tensor(), Tensor(), Tensor()};
  }
};

// Returns y = W x + (m / |V| - 1) W d + m / |V| scaling B A d, where d is x after dropout and V the
// adapted weight, whose norm counts as a constant (section 4.3 of the paper, and PEFT).
Tensor Decomposed(const Tensor& x, const Linear& linear, const LoraPair& pair, const LoraUse& use) {
  const Tensor dropped = Dropped(x, use);
  const Tensor factor = (pair.magnitude / RowNorms(linear.weight, pair)).to(x.scalar_type());
  const Tensor plain = Frozen(x, linear.weight, {});
  const Tensor plain_dropped = use.dropout > 0 ? Frozen(dropped, linear.weight, {}) : plain;
  const Tensor low =
      at::linear(at::linear(dropped, pair.a.to(x.scalar_type())), pair.b.to(x.scalar_type()));
  Tensor y = plain + (factor - 1) * plain_dropped + factor * low * pair.scaling;
  return linear.bias.defined() ? y + linear.bias : y;
}

}  // namespace

Tensor ApplyProjection(const Tensor& x, const Linear& linear, const LoraPair* pair,
                       const LoraUse& use) {
  if (pair == nullptr) return Frozen(x, linear.weight, linear.bias);
  if (pair->magnitude.defined()) return Decomposed(x, linear, *pair, use);
  return LoraFunction::apply(x, c10::make_intrusive<Held>(linear.weight), Present(linear.bias),
                             pair->a, pair->b, pair->scaling, use.dropout,
                             static_cast<std::int64_t>(use.seed));
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
