#include "train/language/model/chunked_loss.h"

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "train/language/products/linear_product.h"
#include "train/learning/divergence.h"

namespace ebb::train {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// The number of logits in memory at a time, small compared to the weights. However large the
// vocabulary, a chunk has enough tokens for matrix products at full speed, because each product
// reads and rearranges all of the output weights.
constexpr std::int64_t kChunkElements = 8 << 20;
constexpr std::int64_t kChunkElementsOfGpu = 64 << 20;
constexpr std::int64_t kMinChunkTokens = 128;

// A teacher has as many logits again, and so has the computation on both.
std::int64_t ChunkTokens(const Tensor& output, bool has_teacher) {
  const std::int64_t elements = output.is_cuda() ? kChunkElementsOfGpu : kChunkElements;
  return std::max(kMinChunkTokens, elements / output.size(0)) / (has_teacher ? 4 : 1);
}

// A matrix product whose result is at least fp32.
Tensor LogitsOf(const Tensor& hidden, const Tensor& output, torch::ScalarType inside) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 8)
  // The product itself writes its sums, instead of rounding them first.
  if (hidden.is_cuda() && hidden.scalar_type() != inside) return at::mm(hidden, output.t(), inside);
#endif
  return LinearProduct(hidden, output).to(inside);
}

// A teacher in a form that an operation can take.
struct HeldTeacher : torch::CustomClassHolder {
  TeacherStates states;
};
using TeacherPointer = c10::intrusive_ptr<HeldTeacher>;

// A chunk's loss, summed over its tokens, and what a gradient or an evaluation needs of it.
struct ChunkLoss {
  Tensor sum;
  Tensor correct;   ///< {tokens, 1}: the target is the most likely token
  Tensor gradient;  ///< with respect to the logits; undefined if it is not wanted
};

// In place, so that the logits are in memory once. `target` is {tokens, 1}.
ChunkLoss LossInPlace(Tensor& logits, const Tensor& target, bool wants_gradient) {
  const Tensor largest = logits.amax(1, /*keepdim=*/true);
  const Tensor chosen = logits.gather(1, target);
  Tensor& exponentials = logits.sub_(largest).exp_();
  const Tensor total = exponentials.sum(1, /*keepdim=*/true);
  ChunkLoss loss{(total.log() + largest - chosen).sum(), chosen.ge(largest), {}};
  if (!wants_gradient) return loss;
  exponentials.div_(total);
  loss.gradient = exponentials.scatter_add_(1, target, torch::full_like(chosen, -1));
  return loss;
}

// Few passes over memory, for a GPU. The gradient is rounded once to `type`.
ChunkLoss LossInFewPasses(Tensor& logits, const Tensor& target, bool wants_gradient,
                          torch::ScalarType type) {
  const Tensor logarithms = torch::log_softmax(logits, 1);
  logits.reset();
  const Tensor chosen = logarithms.gather(1, target);
  ChunkLoss loss{-chosen.sum(), {}, {}};
  if (!wants_gradient) {
    loss.correct = chosen.ge(logarithms.amax(1, /*keepdim=*/true));
    return loss;
  }
  loss.gradient = torch::empty(logarithms.sizes(), logarithms.options().dtype(type));
  at::exp_out(loss.gradient, logarithms);
  loss.gradient.scatter_(1, target, chosen.exp().sub_(1).to(type));
  return loss;
}

class LossFunction : public torch::autograd::Function<LossFunction> {
 public:
  static tensor_list forward(AutogradContext* context, const Tensor& hidden, const Tensor& output,
                             const Tensor& targets, const TeacherPointer& teacher) {
    const std::int64_t tokens = hidden.size(0);
    const std::int64_t chunk = ChunkTokens(output, teacher != nullptr);
    const double mix = teacher ? teacher->states.mix : 0;
    const bool wants_gradient = hidden.requires_grad();
    const auto inside = torch::promote_types(hidden.scalar_type(), torch::kFloat32);
    Tensor sum = torch::zeros({}, hidden.options().dtype(inside));
    Tensor correct = torch::zeros({}, targets.options());
    Tensor gradient = wants_gradient ? torch::empty_like(hidden) : Tensor();
    for (std::int64_t begin = 0; begin < tokens; begin += chunk) {
      const std::int64_t count = std::min(chunk, tokens - begin);
      const Tensor target = targets.narrow(0, begin, count).unsqueeze(1);
      Tensor logits = LogitsOf(hidden.narrow(0, begin, count), output, inside);
      Divergence divergence;
      if (teacher) {
        const TeacherStates& states = teacher->states;
        divergence = DivergenceOf(
            logits, LogitsOf(states.hidden.narrow(0, begin, count), states.output, inside),
            states.temperature);
        sum += divergence.sum * mix;
      }
      const bool in_few_passes = hidden.is_cuda() && !teacher;
      ChunkLoss loss = in_few_passes
                           ? LossInFewPasses(logits, target, wants_gradient, hidden.scalar_type())
                           : LossInPlace(logits, target, wants_gradient);
      sum += loss.sum * (1 - mix);
      if (!wants_gradient) {
        correct += loss.correct.sum();
        continue;
      }
      if (teacher) loss.gradient.mul_(1 - mix).add_(divergence.gradient, mix);
      gradient.narrow(0, begin, count)
          .copy_(LinearProduct(loss.gradient.to(hidden.scalar_type()), output.t()));
    }
    if (wants_gradient) context->save_for_backward({gradient});
    context->mark_non_differentiable({correct});
    return {sum, correct};
  }

  static tensor_list backward(AutogradContext* context, tensor_list gradients) {
    const Tensor gradient = context->get_saved_variables()[0];
    return {gradient * gradients[0].to(gradient.scalar_type()), Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

TokenLoss ChunkedCrossEntropy(const Tensor& hidden, const Tensor& output, const Tensor& targets,
                              const TeacherStates* teacher) {
  TeacherPointer held;
  if (teacher != nullptr) {
    held = c10::make_intrusive<HeldTeacher>();
    held->states = *teacher;
  }
  const tensor_list result = LossFunction::apply(hidden, output, targets, held);
  return {result[0], result[1]};
}

}  // namespace ebb::train
