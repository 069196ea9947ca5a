#include "train/language/lora_linear.h"

#include <torch/csrc/autograd/custom_function.h>

#include <ATen/CPUGeneratorImpl.h>

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// A factor for each element: 0, or 1 / (1 - p). The same for the same seed.
Tensor DropoutFactors(const Tensor& like, const LoraUse& use) {
  at::Generator generator = like.is_cpu()
                                ? at::detail::createCPUGenerator(use.seed)
                                : at::globalContext().defaultGenerator(like.device()).clone();
  if (!like.is_cpu()) generator.set_current_seed(use.seed);
  return torch::empty_like(like).bernoulli_(1 - use.dropout, generator).div_(1 - use.dropout);
}

Tensor Dropped(const Tensor& x, const LoraUse& use) {
  return use.dropout > 0 ? x * DropoutFactors(x, use) : x;
}

// LibTorch wants an absent tensor as no tensor at all.
c10::optional<Tensor> Present(const Tensor& tensor) {
  return tensor.defined() ? c10::optional<Tensor>(tensor) : c10::nullopt;
}

Tensor Rows(const Tensor& x) { return x.reshape({-1, x.size(-1)}); }

class LoraFunction : public torch::autograd::Function<LoraFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        const c10::optional<Tensor>& bias, const Tensor& a, const Tensor& b,
                        double scaling, double dropout, std::int64_t seed) {
    const LoraUse use{scaling, dropout, static_cast<std::uint64_t>(seed)};
    Tensor y = at::linear(x, weight, bias);
    const Tensor low = torch::mm(Dropped(Rows(x), use), a.to(x.scalar_type()).t());
    y.view({-1, y.size(-1)}).addmm_(low, b.to(x.scalar_type()).t(), 1, scaling);
    context->save_for_backward({x, weight, a, b, low});
    context->saved_data["scaling"] = scaling;
    context->saved_data["dropout"] = dropout;
    context->saved_data["seed"] = seed;
    // The input of the first layer is frozen.
    context->saved_data["wants_input"] = x.requires_grad();
    return y;
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &x = saved[0], &weight = saved[1], &a = saved[2], &b = saved[3], &low = saved[4];
    const LoraUse use{context->saved_data["scaling"].toDouble(),
                      context->saved_data["dropout"].toDouble(),
                      static_cast<std::uint64_t>(context->saved_data["seed"].toInt())};
    const Tensor gradient = Rows(gradients[0]);
    const Tensor low_gradient = torch::mm(gradient, b.to(gradient.scalar_type())).mul_(use.scaling);
    const Tensor factors = use.dropout > 0 ? DropoutFactors(Rows(x), use) : Tensor();
    const Tensor input = factors.defined() ? Rows(x) * factors : Rows(x);
    const Tensor a_gradient = torch::mm(low_gradient.t(), input).to(a.scalar_type());
    const Tensor b_gradient = torch::mm(gradient.t(), low).mul_(use.scaling).to(b.scalar_type());
    Tensor x_gradient;
    if (context->saved_data["wants_input"].toBool()) {
      x_gradient = torch::mm(gradient, weight);
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

// y = W x + (m / |V| - 1) W d + m / |V| scaling B A d, where d is x after dropout and V the adapted
// weight, whose norm counts as a constant (section 4.3 of the paper, and PEFT).
Tensor Decomposed(const Tensor& x, const Linear& linear, const LoraPair& pair, const LoraUse& use) {
  const Tensor dropped = Dropped(x, use);
  const Tensor factor =
      (pair.magnitude / RowNorms(linear.weight, pair, use.scaling)).to(x.scalar_type());
  const Tensor plain = at::linear(x, linear.weight);
  const Tensor plain_dropped = use.dropout > 0 ? at::linear(dropped, linear.weight) : plain;
  const Tensor low =
      at::linear(at::linear(dropped, pair.a.to(x.scalar_type())), pair.b.to(x.scalar_type()));
  Tensor y = plain + (factor - 1) * plain_dropped + factor * low * use.scaling;
  return linear.bias.defined() ? y + linear.bias : y;
}

}  // namespace

Tensor ApplyProjection(const Tensor& x, const Linear& linear, const LoraPair* pair,
                       const LoraUse& use) {
  if (pair == nullptr) return at::linear(x, linear.weight, Present(linear.bias));
  if (pair->magnitude.defined()) return Decomposed(x, linear, *pair, use);
  return LoraFunction::apply(x, linear.weight, Present(linear.bias), pair->a, pair->b, use.scaling,
                             use.dropout, static_cast<std::int64_t>(use.seed));
}

Tensor RowNorms(const Tensor& weight, const LoraPair& pair, double scaling) {
  const torch::NoGradGuard no_grad;
  return torch::addmm(weight.to(pair.a.scalar_type()), pair.b, pair.a, 1, scaling).norm(2, 1);
}

}  // namespace ebb::train
