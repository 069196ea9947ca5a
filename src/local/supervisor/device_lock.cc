#include "local/supervisor/device_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "platform/system.h"

namespace ebb::local {
namespace {

constexpr mode_t kEverybody = 0666;
// The supervisor before this one may have written its end and be about to leave.
constexpr std::chrono::seconds kLeaves{2};
constexpr std::chrono::milliseconds kLookAgain{20};

std::filesystem::path LockFolder() {
  if (const char* folder = std::getenv("EBB_DEVICE_LOCKS"); folder && *folder == '/') return folder;
  constexpr const char* kShared = "/run/lock";
  return platform::IsWritableDirectory(kShared) ? kShared : "/tmp";
}

bool IsUuid(const std::string& gpu) {
  const bool is_plain = std::ranges::all_of(gpu, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
  return is_plain && (gpu.starts_with("GPU-") || gpu.starts_with("MIG-"));
}

// In a folder that everybody may write to, the kernel refuses O_CREAT for a file of another user.
int OpenLock(const std::string& gpu, bool makes) {
  const std::string file = LockFolder() / ("ebb-" + gpu + ".lock");
  constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  int descriptor = ::open(file.c_str(), kFlags);
  if (descriptor >= 0 || errno != ENOENT || !makes) return descriptor;
  descriptor = ::open(file.c_str(), kFlags | O_CREAT | O_EXCL, kEverybody);
  if (descriptor < 0) return ::open(file.c_str(), kFlags);
  ::fchmod(descriptor, kEverybody);
  return descriptor;
}

std::string TextIn(int descriptor) {
  std::string text(4096, '\0');
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return std::string(Trim(text));
}

bool LockSoon(int descriptor) {
  const auto until = std::chrono::steady_clock::now() + kLeaves;
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(kLookAgain);
  }
  return true;
}

}  // namespace

Result<DeviceLocks> DeviceLocks::Take(const std::vector<std::string>& gpus,
                                      const std::string& holder) {
  DeviceLocks locks;
  for (const std::string& gpu : gpus) {
    const int descriptor = IsUuid(gpu) ? OpenLock(gpu, true) : -1;
    if (descriptor < 0) continue;
    locks.descriptors_.push_back(descriptor);
    if (!LockSoon(descriptor))
      return Fail(
          {ExitCode::kTryLater, "another service has it (" + TextIn(descriptor) + ")", gpu, ""});
    const std::string text = holder + "\n";
    [[maybe_unused]] const int cut = ::ftruncate(descriptor, 0);
    [[maybe_unused]] const ssize_t written = ::pwrite(descriptor, text.data(), text.size(), 0);
  }
  return locks;
}

DeviceLocks::~DeviceLocks() {
  for (const int descriptor : descriptors_) ::close(descriptor);
}

std::optional<std::string> HolderOf(const std::string& gpu) {
  const int descriptor = IsUuid(gpu) ? OpenLock(gpu, false) : -1;
  if (descriptor < 0) return std::nullopt;
  const bool is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  std::optional<std::string> holder;
  if (!is_free) holder = TextIn(descriptor);
  ::close(descriptor);
  return holder;
}

}  // namespace ebb::local
