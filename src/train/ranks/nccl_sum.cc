#include "train/ranks/nccl_sum.h"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <optional>
#include <utility>

#include "platform/shared_library.h"
#include "train/library_errors.h"

namespace ebb::train {
namespace {

using platform::FindFunction;

struct Id {
  std::array<char, 128> bytes;
};
using Communicator = void*;

// The configuration of NCCL 2.14; later versions take the rest of theirs from their defaults.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef;
  unsigned version = 21'400;
  int blocking = 0;
};

enum Answer : int { kSuccess = 0, kInProgress = 7 };
constexpr int kSum = 0;
constexpr int kOldestVersion = 21'400;

struct Functions {
  int (*version)(int*) = nullptr;
  const char* (*error_string)(int) = nullptr;
  const char* (*last_error)(Communicator) = nullptr;
  int (*new_id)(Id*) = nullptr;
  int (*connect)(Communicator*, int ranks, Id, int rank, Config*) = nullptr;
  int (*async_error)(Communicator, int*) = nullptr;
  int (*all_reduce)(const void* from, void* to, std::size_t count, int type, int operation,
                    Communicator, void* stream) = nullptr;
  int (*abort)(Communicator) = nullptr;

  explicit Functions(void* handle) {
    FindFunction(handle, "ncclGetVersion", version);
    FindFunction(handle, "ncclGetErrorString", error_string);
    FindFunction(handle, "ncclGetLastError", last_error);
    FindFunction(handle, "ncclGetUniqueId", new_id);
    FindFunction(handle, "ncclCommInitRankConfig", connect);
    FindFunction(handle, "ncclCommGetAsyncError", async_error);
    FindFunction(handle, "ncclAllReduce", all_reduce);
    FindFunction(handle, "ncclCommAbort", abort);
  }
  bool usable() const {
    int found = 0;
    return version && error_string && last_error && new_id && connect && async_error &&
           all_reduce && abort && version(&found) == kSuccess && found >= kOldestVersion;
  }
};

std::optional<int> TypeOf(torch::ScalarType type) {
  switch (type) {
    case torch::kFloat16:
      return 6;
    case torch::kFloat32:
      return 7;
    case torch::kFloat64:
      return 8;
    case torch::kBFloat16:
      return 9;
    default:
      return std::nullopt;
  }
}

class NcclSum : public DeviceSum {
 public:
  NcclSum(const Functions& library, torch::Device device)
      : library_(library), guard_(device.type()), device_(device) {}
  ~NcclSum() override { Abort(); }
  NcclSum(const NcclSum&) = delete;
  NcclSum& operator=(const NcclSum&) = delete;

  Result<std::vector<double>> MeetingPoint() override;
  Status Connect(const std::vector<double>& meeting_point, int rank, int ranks) override;
  Status Add(const torch::Tensor& row) override;
  Result<bool> Done() override;
  void Abort() override;

 private:
  Status Check(int answer) const;

  Functions library_;
  c10::impl::VirtualGuardImpl guard_;
  torch::Device device_;
  Communicator communicator_ = nullptr;
};

Status NcclSum::Check(int answer) const {
  if (answer == kSuccess || answer == kInProgress) return {};
  std::string why = library_.error_string(answer);
  if (const char* more = library_.last_error(communicator_); more && *more)
    why += std::string(": ") + more;
  std::replace(why.begin(), why.end(), '\n', ' ');
  return Fail({ExitCode::kUnavailable, "NCCL: " + why, "", ""});
}

Result<std::vector<double>> NcclSum::MeetingPoint() {
  Id id{};
  EBB_RETURN_IF_ERROR(Check(library_.new_id(&id)));
  return std::vector<double>(id.bytes.begin(), id.bytes.end());
}

Status NcclSum::Connect(const std::vector<double>& meeting_point, int rank, int ranks) {
  Id id{};
  std::transform(meeting_point.begin(), meeting_point.end(), id.bytes.begin(),
                 [](double byte) { return static_cast<char>(byte); });
  Config config;
  return Check(library_.connect(&communicator_, ranks, id, rank, &config));
}

// The sum runs on the stream that LibTorch computes on, so that it comes after the operations that
// make `row` and before those that read it.
Status NcclSum::Add(const torch::Tensor& row) {
  const std::optional<int> type = TypeOf(row.scalar_type());
  const c10::Stream stream = guard_.getStream(device_);
  if (!type || stream.id() != 0 || !row.is_contiguous())
    return Fail({ExitCode::kUnavailable,
                 std::string("NCCL sums floats in a row, on the default stream; these are ") +
                     c10::toString(row.scalar_type()),
                 "", "--exchange gloo sums them"});
  void* const default_stream = nullptr;
  return Check(library_.all_reduce(row.data_ptr(), row.data_ptr(),
                                   static_cast<std::size_t>(row.numel()), *type, kSum,
                                   communicator_, default_stream));
}

// While the library still queues the operation, the stream does not know of it, so the state of the
// communicator is asked first.
Result<bool> NcclSum::Done() {
  int state = kSuccess;
  EBB_RETURN_IF_ERROR(Check(library_.async_error(communicator_, &state)));
  EBB_RETURN_IF_ERROR(Check(state));
  if (state == kInProgress) return false;
  try {
    return guard_.queryStream(guard_.getStream(device_));
  } catch (const std::exception& error) {
    return Fail({ExitCode::kUnavailable, "the GPU: " + WhyOf(error), "", ""});
  }
}

// Abort also ends a communicator that has nothing left to do, because it does not wait for other
// ranks.
void NcclSum::Abort() {
  if (communicator_) library_.abort(std::exchange(communicator_, nullptr));
}

}  // namespace

Result<std::unique_ptr<DeviceSum>> OpenNccl(const std::string& file, torch::Device device) {
  void* const handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Fail({ExitCode::kUnavailable, "NCCL is not there", file,
                 "use --exchange gloo, or a LibTorch with CUDA: ./dev build --torch PYTHON"});
  // The library is never closed, because its threads outlive its communicators.
  const Functions library(handle);
  if (!library.usable())
    return Fail({ExitCode::kUnavailable, "is not NCCL 2.14 or later", file,
                 "use --exchange gloo, or a newer LibTorch"});
  return std::make_unique<NcclSum>(library, device);
}

Result<std::unique_ptr<DeviceSum>> OpenExchange(Exchange exchange, torch::Device device) {
  if (exchange == Exchange::kGloo) return nullptr;
  if (!device.is_cuda())
    return Fail({ExitCode::kConfiguration,
                 "--exchange nccl is for CUDA devices, and this trains on the CPU", "",
                 "use --exchange gloo"});
  return OpenNccl(kNcclFile, device);
}

}  // namespace ebb::train
