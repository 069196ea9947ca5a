#pragma once
// Compares a text with a golden file under src/report/testdata. EBB_UPDATE_GOLDEN=1 rewrites it.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "platform/file.h"

namespace ebb::report {

inline void ExpectGolden(const std::string& name, const std::string& actual) {
  const std::filesystem::path file =
      std::filesystem::path(EBB_SOURCE_DIR) / "src" / "report" / "testdata" / name;
  if (const char* update = std::getenv("EBB_UPDATE_GOLDEN"); update && *update == '1') {
    ASSERT_TRUE(platform::WriteFileAtomically(file, actual));
  }
  const auto expected = platform::ReadFile(file);
  ASSERT_TRUE(expected) << expected.error().Message();
  EXPECT_EQ(*expected, actual) << "run with EBB_UPDATE_GOLDEN=1 if the change is meant";
}

/// An empty directory of its own for each test.
inline std::filesystem::path ScratchDirectory() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "ebb_report_test" / test->name();
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  return directory;
}

}  // namespace ebb::report
