#pragma once
// Helpers of tests: golden files under src/report/testdata, and scratch directories.

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "testing/golden.h"

namespace ebb::report {

inline void ExpectGolden(const std::string& name, const std::string& actual) {
  ExpectGoldenFile("report/testdata/" + name, actual);
}

}  // namespace ebb::report
