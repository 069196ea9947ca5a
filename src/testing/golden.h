#pragma once
// Compares a text with a golden file. EBB_UPDATE_GOLDEN=1 rewrites it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "testing/source_tree.h"

namespace ebb {

/// `file` is a path relative to src/.
inline void ExpectGoldenFile(const std::string& file, const std::string& actual) {
  const auto path = std::filesystem::path(SourceTree()) / "src" / file;
  if (const char* update = std::getenv("EBB_UPDATE_GOLDEN"); update && *update == '1') {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << actual;
  }
  std::ifstream stream(path, std::ios::binary);
  ASSERT_TRUE(stream) << path;
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(expected, actual) << "run with EBB_UPDATE_GOLDEN=1 if the change is meant";
}

}  // namespace ebb
