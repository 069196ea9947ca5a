#include "train/language/model/library_attention.h"

#include <torch/csrc/autograd/custom_function.h>

#include <cmath>
#include <optional>
#include <tuple>

#include "base/check.h"

namespace ebb::train {

using torch::Tensor;

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
namespace {

constexpr std::int64_t kWidestFlashHead = 256;

bool FlashCanCompute(const Tensor& query, const Tensor& key, const AttentionBounds& bounds) {
  const torch::ScalarType type = query.scalar_type();
  const bool knows_sequences = !bounds.has_sequences || bounds.sequence_ends.defined();
  return query.is_cuda() && (type == torch::kBFloat16 || type == torch::kFloat16) &&
         query.size(3) <= kWidestFlashHead && query.size(3) % 8 == 0 && knows_sequences &&
         query.size(2) == key.size(2);
}

// True where a query may look: {B, 1, Tq, Tk}.
Tensor MaskOf(const Tensor& starts, std::int64_t queries, std::int64_t keys) {
  const Tensor key = torch::arange(keys, starts.options()).view({1, 1, 1, keys});
  const Tensor query = torch::arange(keys - queries, keys, starts.options()).view({1, 1, -1, 1});
  const Tensor first = starts.narrow(1, keys - queries, queries).unsqueeze(1).unsqueeze(-1);
  return key.ge(first).logical_and_(key.le(query));
}

// {B, heads, T, D} -> {B * T, heads, D}
Tensor Flattened(const Tensor& x) { return x.transpose(1, 2).flatten(0, 1); }

// The form of the inputs of FlashAttention: sequences, scale and window.
struct FlashForm {
  Tensor sequence_ends;  ///< undefined: rows are sequences
  std::int64_t length = 0;
  double scale = 1;
  std::optional<std::int64_t> left, right;  ///< of the window
};

// The backward pass of LibTorch's kernel adds gradients of queries in the order in which blocks
// end, unless deterministic algorithms are asked for; then a run repeats its bits. This asks for
// them while it lives. (The library's own choice would be a kernel of cuDNN, which is not
// deterministic.)
class DeterministicAlgorithms {
 public:
  DeterministicAlgorithms()
      : algorithms_(at::globalContext().deterministicAlgorithms()),
        warn_only_(at::globalContext().deterministicAlgorithmsWarnOnly()),
        fill_(at::globalContext().deterministicFillUninitializedMemory()) {
    at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/false);
    at::globalContext().setDeterministicFillUninitializedMemory(false);
  }
  ~DeterministicAlgorithms() {
    at::globalContext().setDeterministicAlgorithms(algorithms_, warn_only_);
    at::globalContext().setDeterministicFillUninitializedMemory(fill_);
  }
  DeterministicAlgorithms(const DeterministicAlgorithms&) = delete;
  DeterministicAlgorithms& operator=(const DeterministicAlgorithms&) = delete;

 private:
  bool algorithms_, warn_only_, fill_;
};

struct HeldFlashForm : torch::CustomClassHolder {
  FlashForm form;
};

// Inputs and output are {B, T, heads, D}, or {B * T, heads, D} with sequence_ends.
class FlashFunction : public torch::autograd::Function<FlashFunction> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& query,
                        const Tensor& key, const Tensor& value,
                        const c10::intrusive_ptr<HeldFlashForm>& held) {
    const FlashForm& form = held->form;
    const auto ends = form.sequence_ends.defined() ? std::optional<Tensor>(form.sequence_ends)
                                                   : std::optional<Tensor>();
    const auto [output, log_sums, random_state, unused, debug] = at::_flash_attention_forward(
        query, key, value, ends, ends, form.length, form.length, /*dropout_p=*/0,
        /*is_causal=*/true, /*return_debug_mask=*/false, form.scale, form.left, form.right);
    context->save_for_backward({query, key, value, output, log_sums, random_state, unused});
    context->saved_data["form"] = c10::IValue::make_capsule(held);
    return output;
  }

  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* context,
                                               torch::autograd::tensor_list gradients) {
    const auto saved = context->get_saved_variables();
    const auto capsule = context->saved_data["form"].toCapsule();
    const FlashForm& form = static_cast<const HeldFlashForm&>(*capsule).form;
    const DeterministicAlgorithms deterministic;
    const auto [query, key, value] = at::_flash_attention_backward(
        gradients[0], saved[0], saved[1], saved[2], saved[3], saved[4], form.sequence_ends,
        form.sequence_ends, form.length, form.length, /*dropout_p=*/0, /*is_causal=*/true, saved[5],
        saved[6], form.scale, form.left, form.right);
    return {query, key, value, Tensor()};
  }
};

// {B, T, heads, D}
Tensor ByFlash(const Tensor& query, const Tensor& key, const Tensor& value,
               const AttentionBounds& bounds, double scale) {
  const bool packed = bounds.sequence_ends.defined();
  auto held = c10::make_intrusive<HeldFlashForm>();
  held->form.sequence_ends = bounds.sequence_ends;
  held->form.length = packed ? bounds.longest_sequence : query.size(2);
  held->form.scale = scale;
  if (bounds.window > 0) {
    held->form.left = bounds.window - 1;
    held->form.right = 0;
  }
  const auto in_form = [&](const Tensor& x) { return packed ? Flattened(x) : x.transpose(1, 2); };
  return FlashFunction::apply(in_form(query), in_form(key), in_form(value), held)
      .view({query.size(0), query.size(2), query.size(1), query.size(3)});
}

}  // namespace

bool HasLibraryAttention() { return true; }

bool FitsLibraryAttention(const Tensor& query, const Tensor& key, const AttentionBounds& bounds) {
  if (query.size(2) == 1 && key.size(2) > 1) return true;
  return query.size(2) == key.size(2) && (!query.is_cuda() || FlashCanCompute(query, key, bounds));
}

Tensor LibraryAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                        const AttentionBounds& bounds, double divisor) {
  EBB_CHECK(FitsLibraryAttention(query, key, bounds));
  const double scale = 1 / std::sqrt(divisor > 0 ? divisor : static_cast<double>(query.size(3)));
  const bool grouped = query.size(1) != key.size(1);
  const bool has_bounds = bounds.starts.defined();
  if (FlashCanCompute(query, key, bounds)) return ByFlash(query, key, value, bounds, scale);
  const auto mask = has_bounds
                        ? std::optional<Tensor>(MaskOf(bounds.starts, query.size(2), key.size(2)))
                        : std::optional<Tensor>();
  return at::scaled_dot_product_attention(query, key, value, mask, /*dropout_p=*/0,
                                          /*is_causal=*/!has_bounds && query.size(2) > 1, scale,
                                          grouped)
      .transpose(1, 2);
}

#else

bool HasLibraryAttention() { return false; }

bool FitsLibraryAttention(const Tensor& /*query*/, const Tensor& /*key*/,
                          const AttentionBounds& /*bounds*/) {
  return false;
}

Tensor LibraryAttention(const Tensor& /*query*/, const Tensor& /*key*/, const Tensor& /*value*/,
                        const AttentionBounds& /*bounds*/, double /*divisor*/) {
  EBB_CHECK(false && "callers ask HasLibraryAttention");
  return {};
}

#endif

}  // namespace ebb::train
