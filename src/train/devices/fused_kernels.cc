#include "train/devices/fused_kernels.h"

#include "train/devices/device_program.h"

namespace ebb::train {
namespace {

using torch::Tensor;

// Numbers that a thread handles.
constexpr std::int64_t kPerThread = 8;

void Launch(const char* kernel, std::int64_t count, const std::vector<Tensor>& tensors) {
  DeviceProgram::For(tensors.front().device())
      ->Launch(kernel, static_cast<std::uint64_t>(count), tensors);
}

}  // namespace

bool HasFusedKernels(const Tensor& like) {
  return like.is_cuda() && like.scalar_type() == torch::kBFloat16 &&
         like.numel() % kPerThread == 0 && DeviceProgram::For(like.device()) != nullptr;
}

Tensor FusedGatedSilu(const Tensor& gate, const Tensor& up) {
  const Tensor a = gate.contiguous(), b = up.contiguous();
  Tensor out = torch::empty_like(a);
  Launch("ebb_gated_silu", a.numel() / kPerThread, {a, b, out});
  return out;
}

GatedGradients FusedGatedSiluBackward(const Tensor& gate, const Tensor& up,
                                      const Tensor& gradient) {
  const Tensor a = gate.contiguous(), b = up.contiguous(), c = gradient.contiguous();
  GatedGradients gradients{torch::empty_like(a), torch::empty_like(b)};
  Launch("ebb_gated_silu_backward", a.numel() / kPerThread,
         {a, b, c, gradients.gate, gradients.up});
  return gradients;
}

Tensor FusedNf4Decode(const Tensor& codes, const Tensor& scales) {
  if (DeviceProgram::For(codes.device()) == nullptr) return {};
  const Tensor words = codes.contiguous(), factors = scales.contiguous();
  Tensor out =
      torch::empty({codes.size(0), 2 * codes.size(1)}, codes.options().dtype(torch::kBFloat16));
  Launch("ebb_nf4_decode", out.numel() / kPerThread, {words, factors, out});
  return out;
}

}  // namespace ebb::train
