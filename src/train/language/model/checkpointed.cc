#include "train/language/model/checkpointed.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <utility>

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct Kept : torch::CustomClassHolder {
  Segment segment;
};

class CheckpointFunction : public torch::autograd::Function<CheckpointFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& x, const Tensor& /*trained*/,
                        const c10::intrusive_ptr<Kept>& kept) {
    context->save_for_backward({x});
    context->saved_data["segment"] = c10::IValue::make_capsule(kept);
    context->saved_data["wants_input"] = x.requires_grad();
    const torch::NoGradGuard no_grad;
    return kept->segment(x.detach());
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const auto capsule = context->saved_data["segment"].toCapsule();
    const auto& kept = static_cast<const Kept&>(*capsule);
    Tensor x = context->get_saved_variables()[0].detach();
    x.set_requires_grad(context->saved_data["wants_input"].toBool());
    const torch::AutoGradMode with_gradients(true);
    torch::autograd::backward({kept.segment(x)}, {gradients[0]});
    return {x.grad(), Tensor(), Tensor()};
  }
};

}  // namespace

Tensor Checkpointed(Segment segment, const Tensor& x, const Tensor& trained) {
  auto kept = c10::make_intrusive<Kept>();
  kept->segment = std::move(segment);
  return CheckpointFunction::apply(x, trained, kept);
}

}  // namespace ebb::train
