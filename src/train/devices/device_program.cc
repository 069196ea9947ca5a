#include "train/devices/device_program.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>

#include "platform/shared_library.h"

namespace ebb::train {

extern const std::string_view device_kernels;  // the text of device_kernels.cuh

namespace {

constexpr int kSuccess = 0;
constexpr unsigned kBlockThreads = 256;
// CUdevice_attribute of the driver's interface.
constexpr int kMajorCapability = 75, kMinorCapability = 76;

// The stream's handle in CUDA; LibTorch tells it from 2.7 on.
template <typename Stream>
constexpr bool kTellsHandle = requires(const Stream& stream) {
  stream.native_handle();
};

template <typename Stream>
void* HandleOf(const Stream& stream) {
  if constexpr (kTellsHandle<Stream>) return stream.native_handle();
  return nullptr;
}

void* FirstLibrary(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (void* handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL)) return handle;
  return nullptr;
}

}  // namespace

struct DeviceProgram::Functions {
  int (*create)(void** program, const char* text, const char* name, int headers, const char* const*,
                const char* const*) = nullptr;
  int (*compile)(void* program, int options, const char* const*) = nullptr;
  int (*size)(void* program, std::size_t*) = nullptr;
  int (*take)(void* program, char*) = nullptr;
  int (*destroy)(void** program) = nullptr;
  int (*attribute)(int*, int attribute, int device) = nullptr;
  int (*load)(void** module, const void* image) = nullptr;
  int (*find)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned shared_bytes, void* stream, void** arguments, void** extra) = nullptr;

  Functions() {
    void* compiler = FirstLibrary({"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"});
    void* driver = FirstLibrary({"libcuda.so.1"});
    if (compiler == nullptr || driver == nullptr) return;
    using platform::FindFunction;
    usable = FindFunction(compiler, "nvrtcCreateProgram", create) &&
             FindFunction(compiler, "nvrtcCompileProgram", compile) &&
             FindFunction(compiler, "nvrtcGetPTXSize", size) &&
             FindFunction(compiler, "nvrtcGetPTX", take) &&
             FindFunction(compiler, "nvrtcDestroyProgram", destroy) &&
             FindFunction(driver, "cuDeviceGetAttribute", attribute) &&
             FindFunction(driver, "cuModuleLoadData", load) &&
             FindFunction(driver, "cuModuleGetFunction", find) &&
             FindFunction(driver, "cuLaunchKernel", launch);
  }

  /// The kernels in PTX, which the driver translates for the device; empty if that fails.
  std::string Ptx(int device) const {
    int major = 0, minor = 0;
    if (attribute(&major, kMajorCapability, device) != kSuccess ||
        attribute(&minor, kMinorCapability, device) != kSuccess)
      return "";
    const std::string architecture =
        "--gpu-architecture=compute_" + std::to_string(major) + std::to_string(minor);
    const char* const options = architecture.c_str();
    void* program = nullptr;
    const std::string text(device_kernels);
    if (create(&program, text.c_str(), "device_kernels.cu", 0, nullptr, nullptr) != kSuccess)
      return "";
    std::string ptx;
    std::size_t bytes = 0;
    if (compile(program, 1, &options) == kSuccess && size(program, &bytes) == kSuccess) {
      ptx.resize(bytes);
      if (take(program, ptx.data()) != kSuccess) ptx.clear();
    }
    destroy(&program);
    return ptx;
  }

  bool usable = false;
};

Result<const DeviceProgram*> DeviceProgram::Compile(torch::Device device) {
  const auto fail = [](const char* what) {
    return Fail({ExitCode::kUnavailable, what, "",
                 "LibTorch's elementary operations are used instead, which are slower"});
  };
  if (!kTellsHandle<c10::Stream>)
    return fail("this LibTorch (" TORCH_VERSION ") is too old for kernels of Ebb");
  static const Functions functions;
  if (!functions.usable) return fail("NVRTC, which compiles kernels, is not found (libnvrtc.so)");
  const std::string ptx = functions.Ptx(device.index());
  if (ptx.empty()) return fail("NVRTC cannot compile kernels for this GPU");
  // The driver's current device is LibTorch's once LibTorch has used it in this thread.
  torch::zeros({1}, torch::device(device));
  auto program = std::make_unique<DeviceProgram>();
  program->functions_ = &functions;
  if (functions.load(&program->module_, ptx.c_str()) != kSuccess)
    return fail("the driver cannot load compiled kernels");
  // The program lives as long as the process: the driver may be gone when static objects are
  // destroyed.
  return program.release();
}

const DeviceProgram* DeviceProgram::For(torch::Device device) {
  if (!device.is_cuda()) return nullptr;
  static std::mutex mutex;
  static std::map<c10::DeviceIndex, const DeviceProgram*> programs;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = programs.try_emplace(device.index(), nullptr);
  if (!is_new) return entry->second;
  const auto compiled = Compile(device);
  if (compiled)
    entry->second = *compiled;
  else
    std::fprintf(stderr, "ebb-train: warning: %s\n", compiled.error().Message().c_str());
  return entry->second;
}

void DeviceProgram::Launch(const std::string& kernel, std::uint64_t count,
                           const std::vector<torch::Tensor>& tensors) const {
  void* function = nullptr;
  if (functions_->find(&function, module_, kernel.c_str()) != kSuccess)
    throw std::runtime_error("the kernel " + kernel + " is missing");
  std::vector<void*> addresses;
  for (const torch::Tensor& tensor : tensors) addresses.push_back(tensor.data_ptr());
  std::vector<void*> arguments;
  for (void*& address : addresses) arguments.push_back(&address);
  arguments.push_back(&count);
  const torch::Device device = tensors.front().device();
  void* stream = HandleOf(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  const auto blocks = static_cast<unsigned>((count + kBlockThreads - 1) / kBlockThreads);
  const int answer = functions_->launch(function, blocks, 1, 1, kBlockThreads, 1, 1, 0, stream,
                                        arguments.data(), nullptr);
  if (answer != kSuccess)
    throw std::runtime_error("the kernel " + kernel + " does not start (CUDA error " +
                             std::to_string(answer) + ")");
}

}  // namespace ebb::train
