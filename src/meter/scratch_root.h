#pragma once
// A directory of fake /proc or /sys files for one test, removed at its end.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace ebb::meter {

class ScratchRoot {
 public:
  ScratchRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "ebb_meter_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ScratchRoot() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchRoot(const ScratchRoot&) = delete;
  ScratchRoot& operator=(const ScratchRoot&) = delete;

  void Write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
  }
  void Remove(const std::string& name) const { std::filesystem::remove_all(path_ / name); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace ebb::meter
