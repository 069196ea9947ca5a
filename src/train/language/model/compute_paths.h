#pragma once
// Two ways of computing the same model. One is right for a CPU and for every version of LibTorch;
// the other starts fewer, larger kernels, which pays on a GPU. Both exist on every device, so that
// tests compare them. The results differ by rounding only.

namespace ebb::train {

enum class Kernels {
  kPlain,  ///< LibTorch's elementary operations
  kFused,  ///< one kernel for each norm and activation, where LibTorch has it
};

enum class AttentionPath {
  kBlocks,   ///< blocks of rows by matrix products (attention.h)
  kLibrary,  ///< LibTorch's scaled_dot_product_attention (library_attention.h), from 2.5 on
};

/// Parts that the backward pass computes again, instead of keeping them (Chen et al. 2016): this
/// takes less memory and more time.
enum class Recompute {
  kNothing,
  kMlp,     ///< the MLP of each layer, whose intermediates are most of the memory
  kLayers,  ///< whole layers: only their inputs are kept
};

struct ComputePaths {
  Kernels kernels = Kernels::kPlain;
  AttentionPath attention = AttentionPath::kBlocks;
};

/// Choices of a user. kAuto: fused kernels and the library's attention on a GPU, else not.
enum class KernelsChoice { kAuto, kPlain, kFused };
enum class AttentionChoice { kAuto, kBlocks, kLibrary };

}  // namespace ebb::train
