#include "train/language/ops.h"

#include <torch/csrc/autograd/custom_function.h>

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

// Rotates {B, T, H, D} by the angles; `sign` -1 rotates back.
Tensor Turned(const Tensor& x, const RotaryTable& table, double sign) {
  const Tensor inside = x.to(table.cosine.scalar_type());
  const auto halves = inside.chunk(2, -1);
  // One entry serves all heads.
  const Tensor cosine = table.cosine.unsqueeze(-2);
  const Tensor sine = table.sine.unsqueeze(-2) * sign;
  return torch::cat({halves[0] * cosine - halves[1] * sine, halves[1] * cosine + halves[0] * sine},
                    -1)
      .to(x.scalar_type());
}

class RotateFunction : public torch::autograd::Function<RotateFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& cosine,
                        const Tensor& sine) {
    context->save_for_backward({cosine, sine});
    return Turned(x, {cosine, sine}, 1).transpose(1, 2).contiguous();
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    return {Turned(gradients[0].transpose(1, 2), {saved[0], saved[1]}, -1), Tensor(), Tensor()};
  }
};

class GatedFunction : public torch::autograd::Function<GatedFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& gate, const Tensor& up,
                        bool is_gelu) {
    context->save_for_backward({gate, up});
    context->saved_data["is_gelu"] = is_gelu;
    return Activated(gate, is_gelu).mul_(up);
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const bool is_gelu = context->saved_data["is_gelu"].toBool();
    const Tensor of_activated = gradients[0] * saved[1];
    return {is_gelu ? at::gelu_backward(of_activated, saved[0], kTanh)
                    : at::silu_backward(of_activated, saved[0]),
            Activated(saved[0], is_gelu).mul_(gradients[0]), Tensor()};
  }

 private:
  static constexpr const char* kTanh = "tanh";
  static Tensor Activated(const Tensor& gate, bool is_gelu) {
    return is_gelu ? at::gelu(gate, kTanh) : torch::silu(gate);
  }
};

}  // namespace

Tensor RmsNorm(const Tensor& x, const Tensor& weight, double epsilon) {
  return RmsNormFunction::apply(x, weight, epsilon);
}

Tensor Rotate(const Tensor& x, const RotaryTable& table) {
  return RotateFunction::apply(x, table.cosine, table.sine);
}

Tensor Gated(const Tensor& gate, const Tensor& up, Activation activation) {
  return GatedFunction::apply(gate, up, activation == Activation::kGeluTanh);
}

}  // namespace ebb::train
