#pragma once
// Adam (Kingma and Ba 2015) with LibTorch's formula and state, the moments' and the parameter's
// update fused into one pass over memory on the CPU; torch::optim::Adam makes six. On CUDA,
// LibTorch's own kernel updates all tensors together (from 2.1 on); elsewhere the same formula runs
// as tensor operations. Tested against torch::optim::Adam.

#include <string>
#include <vector>

#include "train/devices/named_tensors.h"
#include "train/libtorch.h"

namespace ebb::train {

struct AdamSettings {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;  ///< decoupled: AdamW (Loshchilov and Hutter 2019)
};

class Adam {
 public:
  struct Slot {
    std::string name;
    torch::Tensor parameter;
    torch::Tensor exp_avg;
    torch::Tensor exp_avg_sq;
  };

  /// One slot per parameter of the module, in the module's order.
  explicit Adam(const torch::nn::Module& module, AdamSettings settings = {});
  /// One slot per tensor, in that order.
  explicit Adam(const NamedTensors& parameters, AdamSettings settings = {});

  std::vector<Slot>& slots() { return slots_; }
  /// Updates done; bias correction depends on it, so a checkpoint restores it.
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

  /// The defined gradients, in order of slots.
  std::vector<torch::Tensor> Gradients() const;
  /// Drops the gradients, so that the next backward pass stores its own without adding.
  void ClearGradients();
  /// Applies the gradients; parameters without one are left alone.
  void Step(double learning_rate);

 private:
  AdamSettings settings_;
  std::vector<Slot> slots_;
  std::int64_t steps_ = 0;
};

}  // namespace ebb::train
