#pragma once
// The parts of LibTorch that Ebb uses, precompiled: reading all of <torch/torch.h> takes half as
// long again in each translation unit.

#include <torch/cuda.h>
#include <torch/nn/module.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/pimpl.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>
