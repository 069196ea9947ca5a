#include "train/language/library_attention.h"

#include <cmath>
#include <optional>
#include <tuple>

#include "base/check.h"

namespace ebb::train {

using torch::Tensor;

#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 5)
namespace {

constexpr std::int64_t kWidestFlashHead = 256;

bool FlashCanCompute(const Tensor& query) {
  const torch::ScalarType type = query.scalar_type();
  return query.is_cuda() && (type == torch::kBFloat16 || type == torch::kFloat16) &&
         query.size(3) <= kWidestFlashHead && query.size(3) % 8 == 0;
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

// {B, T, heads, D}, by the kernel for sequences of several lengths, and for windows.
Tensor ByFlash(const Tensor& query, const Tensor& key, const Tensor& value,
               const AttentionBounds& bounds, double scale) {
  const auto left = bounds.window > 0 ? std::optional<std::int64_t>(bounds.window - 1)
                                      : std::optional<std::int64_t>();
  const auto right = bounds.window > 0 ? std::optional<std::int64_t>(0) : left;
  const bool packed = bounds.sequence_ends.defined();
  const std::int64_t length = packed ? bounds.longest_sequence : query.size(2);
  const auto ends = packed ? std::optional<Tensor>(bounds.sequence_ends) : std::optional<Tensor>();
  const auto form = [&](const Tensor& x) { return packed ? Flattened(x) : x.transpose(1, 2); };
  const Tensor output = std::get<0>(at::_flash_attention_forward(
      form(query), form(key), form(value), ends, ends, length, length, /*dropout_p=*/0,
      /*is_causal=*/true, /*return_debug_mask=*/false, scale, left, right));
  return output.view({query.size(0), query.size(2), query.size(1), query.size(3)});
}

}  // namespace

bool HasLibraryAttention() { return true; }

Tensor LibraryAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                        const AttentionBounds& bounds, double divisor) {
  EBB_CHECK(query.size(2) == key.size(2) || query.size(2) == 1);
  const double scale = 1 / std::sqrt(divisor > 0 ? divisor : static_cast<double>(query.size(3)));
  const bool grouped = query.size(1) != key.size(1);
  const bool has_bounds = bounds.starts.defined();
  if (has_bounds && query.size(2) == key.size(2) && FlashCanCompute(query))
    return ByFlash(query, key, value, bounds, scale);
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

Tensor LibraryAttention(const Tensor& /*query*/, const Tensor& /*key*/, const Tensor& /*value*/,
                        const AttentionBounds& /*bounds*/, double /*divisor*/) {
  EBB_CHECK(false && "callers ask HasLibraryAttention");
  return {};
}

#endif

}  // namespace ebb::train
