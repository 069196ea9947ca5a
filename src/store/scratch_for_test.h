#pragma once
// An empty directory for one test.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace ebb::store {

inline std::filesystem::path ScratchDirectory(const std::string& name) {
  const auto path = std::filesystem::path(::testing::TempDir()) /
                    ("ebb_store_" + std::to_string(::getpid()) + "_" + name);
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

}  // namespace ebb::store
