#include "train/language/model/ops.h"

#include <torch/csrc/autograd/custom_function.h>

#include <tuple>

#include "train/devices/fused_kernels.h"

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

torch::ScalarType InsideType(const Tensor& x) {
  return torch::promote_types(x.scalar_type(), torch::kFloat32);
}

class RmsNormFunction : public torch::autograd::Function<RmsNormFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& weight,
                        double epsilon) {
    const Tensor inside = x.to(InsideType(x));
    const Tensor scale = inside.square().mean(-1, /*keepdim=*/true).add_(epsilon).rsqrt_();
    context->save_for_backward({x, weight, scale});
    if (weight.scalar_type() == scale.scalar_type())
      return (inside * scale).mul_(weight).to(x.scalar_type());
    return (inside * scale).to(x.scalar_type()).mul_(weight);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor& x = saved[0];
    const Tensor& scale = saved[2];
    const Tensor normal = x.to(scale.scalar_type()) * scale;
    const Tensor weighted = gradients[0].to(scale.scalar_type()) * saved[1];
    const Tensor along = (weighted * normal).mean(-1, /*keepdim=*/true);
    return {((weighted - normal * along) * scale).to(x.scalar_type()), Tensor(), Tensor()};
  }
};

// Rotates {B, T, H, D} by the angles; `sign` -1 rotates back. Each half is two operations, whose
// arithmetic has the table's type. On a GPU they convert as they read and write; LibTorch 1.13
// cannot do that on a CPU.
Tensor Turned(const Tensor& x, const RotaryTable& table, double sign) {
  // One entry serves all heads.
  const Tensor cosine = table.cosine.unsqueeze(-2), sine = table.sine.unsqueeze(-2);
  const torch::ScalarType type = x.is_cuda() ? x.scalar_type() : cosine.scalar_type();
  const auto halves = x.to(type).chunk(2, -1);
  Tensor turned = torch::empty(x.sizes(), x.options().dtype(type));
  auto parts = turned.chunk(2, -1);
  at::addcmul_out(parts[0], halves[0] * cosine, halves[1], sine, -sign);
  at::addcmul_out(parts[1], halves[1] * cosine, halves[0], sine, sign);
  return turned.to(x.scalar_type());
}

class RotateFunction : public torch::autograd::Function<RotateFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& cosine,
                        const Tensor& sine) {
    context->save_for_backward({cosine, sine});
    return Turned(x, {cosine, sine}, 1).transpose(1, 2);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    return {Turned(gradients[0].transpose(1, 2), {saved[0], saved[1]}, -1), Tensor(), Tensor()};
  }
};

constexpr const char* kTanh = "tanh";

Tensor Activated(const Tensor& gate, bool is_gelu) {
  return is_gelu ? at::gelu(gate, kTanh) : torch::silu(gate);
}

class GatedFunction : public torch::autograd::Function<GatedFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& gate, const Tensor& up,
                        bool is_gelu, bool is_fused) {
    context->save_for_backward({gate, up});
    context->saved_data["is_gelu"] = is_gelu;
    context->saved_data["is_fused"] = is_fused;
    return is_fused ? FusedGatedSilu(gate, up) : Activated(gate, is_gelu).mul_(up);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const Tensor &gate = saved[0], &up = saved[1], &gradient = gradients[0];
    if (context->saved_data["is_fused"].toBool()) {
      const GatedGradients found = FusedGatedSiluBackward(gate, up, gradient);
      return {found.gate, found.up, Tensor(), Tensor()};
    }
    const bool is_gelu = context->saved_data["is_gelu"].toBool();
    const Tensor of_activated = gradient * up;
    return {is_gelu ? at::gelu_backward(of_activated, gate, kTanh)
                    : at::silu_backward(of_activated, gate),
            Activated(gate, is_gelu).mul_(gradient), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor RmsNorm(const Tensor& x, const Tensor& weight, double epsilon, Kernels kernels) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 8)
  if (kernels == Kernels::kFused && weight.scalar_type() == x.scalar_type())
    return std::get<0>(at::_fused_rms_norm(x, {x.size(-1)}, weight, epsilon));
#endif
  (void)kernels;
  return RmsNormFunction::apply(x, weight, epsilon);
}

Tensor Rotate(const Tensor& x, const RotaryTable& table) {
  return RotateFunction::apply(x, table.cosine, table.sine);
}

Tensor Gated(const Tensor& gate, const Tensor& up, Activation activation, Kernels kernels) {
  const bool is_gelu = activation == Activation::kGeluTanh;
  return GatedFunction::apply(gate, up, is_gelu,
                              !is_gelu && kernels == Kernels::kFused && HasFusedKernels(gate));
}

}  // namespace ebb::train
