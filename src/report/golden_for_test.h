#pragma once
// Golden files under src/report/testdata, and scratch directories.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "testing/golden.h"

namespace ebb::report {

inline void ExpectGolden(const std::string& name, const std::string& actual) {
  ExpectGoldenFile("report/testdata/" + name, actual);
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
