#pragma once
// Mixed precision as a scope: inside, LibTorch computes matrix products and convolutions in the
// lower precision and keeps weights, gradients and reductions in fp32. One spelling for
// LibTorch 1.13 and 2.x.

#include "base/result.h"
#include "train/libtorch.h"
#include "train/options/options.h"

namespace ebb::train {

class AutocastScope {
 public:
  AutocastScope(Precision precision, torch::DeviceType device);
  ~AutocastScope();
  AutocastScope(const AutocastScope&) = delete;
  AutocastScope& operator=(const AutocastScope&) = delete;

 private:
  bool active_;
  torch::DeviceType device_;
  bool previous_ = false;
};

/// Refuses a precision that this LibTorch cannot compute on this device, and says what to use
/// instead.
Status RequirePrecisionSupported(Precision precision, torch::DeviceType device);

}  // namespace ebb::train
