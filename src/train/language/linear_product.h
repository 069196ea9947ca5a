#pragma once
// Products with frozen matrices. Those of one row are one_row_product.h's. Others of fp32 on a CPU
// are oneDNN's where LibTorch has them (2.x, built so): its kernels are chosen by what the CPU can
// do, not by its maker. LibTorch itself asks a BLAS, and MKL uses only half of an AMD CPU with
// AVX-512. Everything else is LibTorch's own choice.

#include "train/libtorch.h"

namespace ebb::train {

/// x {..., in} times weight {out, in} transposed, plus bias {out} where it is defined: {..., out}.
/// The weight may be a view of any strides. Without a graph.
torch::Tensor LinearProduct(const torch::Tensor& x, const torch::Tensor& weight,
                            const torch::Tensor& bias = {});

}  // namespace ebb::train
