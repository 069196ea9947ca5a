#include "platform/temporary_directory.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

namespace ebb::platform {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPattern = "-XXXXXX", kLock = ".lock";

// Directories of this user with such a name; links are left out.
std::vector<fs::path> OursIn(const fs::path& base, const std::string& name) {
  std::vector<fs::path> ours;
  std::error_code error;
  for (fs::directory_iterator at(base, error), end; !error && at != end; at.increment(error)) {
    const std::string found = at->path().filename().string();
    struct stat status {};
    if (found.size() == name.size() + kPattern.size() && found.starts_with(name + "-") &&
        ::lstat(at->path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == ::geteuid())
      ours.push_back(at->path());
  }
  return ours;
}

// The user of a directory holds the lock file beside it. A directory without a lock file is being
// made right now, or belongs to another program with similar names.
void RemoveAbandoned(const fs::path& base, const std::string& name) {
  for (const fs::path& path : OursIn(base, name)) {
    const fs::path lock = path.string() + std::string(kLock);
    std::error_code ignored;
    if (!fs::exists(lock, ignored)) continue;
    if (!FileLock::Take(lock)) continue;
    fs::remove_all(path, ignored);
    fs::remove(lock, ignored);
  }
}

}  // namespace

Result<TemporaryDirectory> TemporaryDirectory::Make(const std::string& name) {
  std::error_code ignored;
  fs::path base = fs::temp_directory_path(ignored);
  if (base.empty()) base = "/tmp";
  RemoveAbandoned(base, name);
  std::string path = (base / (name + std::string(kPattern))).string();
  if (!::mkdtemp(path.data()))
    return Fail({ExitCode::kUnavailable,
                 "cannot make a directory: " + std::generic_category().message(errno), path,
                 "set TMPDIR to one that can be written"});
  auto lock = FileLock::Take(path + std::string(kLock));
  if (!lock) {
    fs::remove(path, ignored);
    return Fail(std::move(lock).error());
  }
  return TemporaryDirectory(path, *std::move(lock));
}

TemporaryDirectory::~TemporaryDirectory() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  fs::remove(path_.string() + std::string(kLock), ignored);
}

}  // namespace ebb::platform
