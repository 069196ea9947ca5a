#include "testing/scratch_directory.h"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

namespace ebb {
namespace {

class Directories {
 public:
  // A forked child leaves the directories to its parent.
  ~Directories() {
    if (kept_ || ::getpid() != owner_) return;
    std::error_code ignored;
    for (const std::filesystem::path& path : paths_) std::filesystem::remove_all(path, ignored);
  }
  std::filesystem::path Make(std::string_view name) {
    std::string file = "ebb-" + std::string(name.substr(0, 40)) + "-XXXXXX";
    std::ranges::replace(file, '/', '-');  // in names of tests with parameters
    std::string path = (std::filesystem::temp_directory_path() / file).string();
    if (::mkdtemp(path.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make " + path);
    const std::scoped_lock lock(mutex_);
    return paths_.emplace_back(path);
  }
  void Keep() { kept_ = true; }

 private:
  const pid_t owner_ = ::getpid();
  std::mutex mutex_;
  std::vector<std::filesystem::path> paths_;
  bool kept_ = false;
};

Directories& All() {
  static Directories all;
  return all;
}

}  // namespace

std::filesystem::path ScratchDirectory(std::string_view name) { return All().Make(name); }

void KeepScratchDirectories() { All().Keep(); }

}  // namespace ebb
