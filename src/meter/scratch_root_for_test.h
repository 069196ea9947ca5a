#pragma once
// A directory of fake /proc or /sys files for one test, removed at its end.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "testing/scratch_directory.h"

namespace ebb::meter {

class ScratchRoot {
 public:
  void Write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
  }
  void Remove(const std::string& name) const { std::filesystem::remove_all(path_ / name); }
  std::string path() const { return path_.string(); }

 private:
  const std::filesystem::path path_ = ScratchDirectory("meter");
};

}  // namespace ebb::meter
