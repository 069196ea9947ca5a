#include "kubernetes/devices/device_selector.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

DeviceKind A100() {
  return {"gpu.nvidia.com",
          "A100",
          {{"gpu.nvidia.com/productName", "NVIDIA A100-SXM4-40GB"},
           {"gpu.nvidia.com/type", "gpu"},
           {"gpu.nvidia.com/driverVersion", "580.65.6"},
           {"gpu.nvidia.com/cores", 108.0},
           {"gpu.nvidia.com/healthy", true}},
          {{"gpu.nvidia.com/memory", 40 * 0x1p30}}};
}

Match Of(const std::string& expression) { return Matches(expression, A100()); }

TEST(DeviceSelector, WhatSelectorsAreMadeOf) {
  for (
      const char* expression : {
          R"(device.driver == "gpu.nvidia.com")",
          R"(device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'gpu')",
          R"(device.attributes["gpu.nvidia.com"].productName.matches("^NVIDIA A100.*"))",
          R"(device.attributes["gpu.nvidia.com"].productName.lowerAscii().contains("a100"))",
          R"(device.attributes["gpu.nvidia.com"]["productName"].endsWith('40GB'))",
          R"(device.attributes["gpu.nvidia.com"].type in ["mig", "gpu"])",
          R"(device.attributes["gpu.nvidia.com"].cores >= 100)",
          R"(device.attributes["gpu.nvidia.com"].healthy)",
          R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("40Gi")) >= 0)",
          R"(device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("20Gi")))",
          R"(!(device.driver == "gpu.amd.com") && has(device.attributes["gpu.nvidia.com"].type))",
          R"(device.driver == "x" || device.attributes["gpu.nvidia.com"].type != "mig")",
      })
    EXPECT_EQ(Of(expression), Match::kYes) << expression;
}

TEST(DeviceSelector, WhatADeviceIsNotOrDoesNotHave) {
  for (const char* expression : {
           R"(device.driver == "gpu.amd.com")",
           R"(device.attributes["gpu.nvidia.com"].type == "mig")",
           R"(device.attributes["gpu.nvidia.com"].profile == "1g.5gb")",
           R"(device.attributes["gpu.amd.com"].family.startsWith("x"))",
           R"(device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0)",
           R"(has(device.attributes["gpu.nvidia.com"].profile))",
           R"(device.driver == "gpu.amd.com" && nobody(knows))",
       })
    EXPECT_EQ(Of(expression), Match::kNo) << expression;
}

TEST(DeviceSelector, WhatItDoesNotUnderstandIsUnknown) {
  for (
      const char* expression : {
          R"(device.attributes["gpu.nvidia.com"].uuid == "GPU-1")",
          R"(device.attributes["gpu.nvidia.com"].driverVersion.isGreaterThan(semver("1.0.0")) || nobody(knows))",
          R"(["a"].exists(x, x == "a"))",
          R"(device.driver == "gpu.nvidia.com" && nobody(knows))",
          R"(device.attributes["gpu.nvidia.com"].profile == "1g.5gb" || nobody(knows))",
          R"(nobody(knows) || device.attributes["gpu.nvidia.com"].profile == "1g.5gb")",
          R"(device.driver == "a" ? true : false)",
          R"(device.driver == )",
          R"(device.driver == "gpu)",
          R"(device.attributes["gpu.nvidia.com"].productName.matches("("))",
          R"(device.attributes["gpu.nvidia.com"].cores == "108")",
          "",
          "device",
      })
    EXPECT_EQ(Of(expression), Match::kUnknown) << expression;
  EXPECT_EQ(Of(std::string(100'000, '(')), Match::kUnknown);
  EXPECT_EQ(Of(std::string(100'000, '!')), Match::kUnknown);
}

}  // namespace
}  // namespace ebb::kubernetes
