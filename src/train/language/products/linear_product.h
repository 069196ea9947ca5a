#pragma once
// Products with frozen matrices. one_row_product.h computes products of one row. Other products of
// fp32 on a CPU go to oneDNN if LibTorch has it (2.x, built so), because oneDNN chooses its kernels
// by what the CPU can do, not by its maker. LibTorch itself asks a BLAS, and MKL uses only half of
// an AMD CPU with AVX-512. For everything else LibTorch chooses.

#include "train/libtorch.h"

namespace ebb::train {

/// Returns x {..., in} times weight {out, in} transposed, plus bias {out} if it is defined: {...,
/// out}. The weight may be a view of any strides. Without a graph.
torch::Tensor LinearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias = {});

}  // namespace ebb::train
