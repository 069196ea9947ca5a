#include "train/devices/device.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/text.h"

namespace ebb::train {
namespace {

// The value of the first "key : value" line of a /proc file.
std::string ProcValue(const std::filesystem::path& path, std::string_view key,
                      std::string otherwise = "unknown") {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && Trim(std::string_view(line).substr(0, colon)) == key)
      return std::string(Trim(std::string_view(line).substr(colon + 1)));
  }
  return otherwise;
}

// Reads the NVIDIA driver's own listing, because LibTorch's headers give the name only if CUDA's
// headers are installed.
std::string CudaDeviceName() {
  std::error_code code;
  std::vector<std::filesystem::path> cards;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", code))
    cards.push_back(entry.path());
  if (cards.empty()) return "unknown";
  return ProcValue(*std::min_element(cards.begin(), cards.end()) / "information", "Model");
}

}  // namespace

Result<torch::Device> SelectDevice(DeviceChoice choice, int local_rank) {
  if (choice == DeviceChoice::kCpu) return torch::Device(torch::kCPU);
  if (torch::cuda::is_available()) {
    const auto gpus = static_cast<int>(torch::cuda::device_count());
    const torch::Device gpu(torch::kCUDA, static_cast<c10::DeviceIndex>(local_rank % gpus));
    c10::impl::VirtualGuardImpl(torch::kCUDA).setDevice(gpu);
    // A run that goes on from a checkpoint ends with the same bits only if convolutions do not add
    // in an order that changes from run to run.
    at::globalContext().setDeterministicCuDNN(true);
    return gpu;
  }
  if (choice == DeviceChoice::kAuto) return torch::Device(torch::kCPU);
  return Fail({ExitCode::kUnavailable, "this LibTorch finds no CUDA device", "",
               "use --device cpu, or install a CUDA build of LibTorch and the driver"});
}

std::string DeviceName(torch::Device device) {
  return device.is_cuda() ? CudaDeviceName() : ProcValue("/proc/cpuinfo", "model name");
}

std::optional<std::int64_t> AvailableMemoryBytes() {
  // "16777216 kB"
  const std::string value = ProcValue("/proc/meminfo", "MemAvailable", "");
  const auto kilobytes = ParseInteger(value.substr(0, value.find(' ')));
  return kilobytes ? std::optional(*kilobytes * std::int64_t{1024}) : std::nullopt;
}

std::string CpuFlags() {
  return ProcValue("/proc/cpuinfo", "flags", ProcValue("/proc/cpuinfo", "Features", ""));
}

void UseFastMemoryFormat(torch::nn::Module& model, torch::Device device, Precision precision) {
  if (device.is_cuda() && precision == Precision::kFp32) return;
  for (torch::Tensor parameter : model.parameters()) {
    if (parameter.dim() == 4)
      parameter.set_data(parameter.detach().contiguous(torch::MemoryFormat::ChannelsLast));
  }
}

std::int64_t UseThreads(std::int64_t wanted, int ranks) {
  const auto available =
      static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::int64_t threads = wanted > 0 ? wanted : std::max<std::int64_t>(1, available / ranks);
  at::set_num_threads(static_cast<int>(threads));
  return threads;
}

}  // namespace ebb::train
