#pragma once
// What we use of LibTorch, precompiled: all of <torch/torch.h> takes half as long again to read, in
// each translation unit.

#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>
