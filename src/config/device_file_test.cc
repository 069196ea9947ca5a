#include "config/device_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::config {
namespace {

using ::testing::HasSubstr;

TEST(DeviceFile, EbbsOwnForm) {
  const auto profiles = ParseDeviceProfiles(R"(
devices:
  NVIDIA RTX 6000 Ada Generation: {idle_w: 20, max_w: 300, tflops: 364, source: data sheet}
  NVIDIA L4:
    idle_w: 16.5
)",
                                            "own.yaml");
  ASSERT_TRUE(profiles) << profiles.error().Message();
  ASSERT_EQ(profiles->size(), 2u);
  EXPECT_EQ((*profiles)[0].model, "NVIDIA RTX 6000 Ada Generation");
  EXPECT_EQ((*profiles)[0].idle->watts, 20);
  EXPECT_EQ((*profiles)[0].max->watts, 300);
  EXPECT_EQ((*profiles)[0].tflops, 364);
  EXPECT_EQ((*profiles)[0].source, "data sheet");
  EXPECT_FALSE((*profiles)[1].max);
  EXPECT_EQ((*profiles)[1].source, "own.yaml");
}

// The profiles that the reference's chart ships, shortened.
TEST(DeviceFile, TheReferencesProfilesAreAcceptedAsTheyAre) {
  const auto profiles = ParseDeviceProfiles(R"(
cpuModelMappings:
  Intel:
    "6-85": "Intel(R) Xeon(R) Platinum 8275CL"
cpuProfiles:
  "Intel(R) Xeon(R) Platinum 8175M":
    idlePower: 10.0
    maxPower: 115.0
    powerScaling: "quadratic"
    frequencyRangeGHz: {min: 1.2, max: 3.5}
gpuProfiles:
  "NVIDIA A100": {idlePower: 25.0, maxPower: 400.0}
  "NVIDIA GeForce RTX 3080":
    idlePower: 20.0
    maxPower: 320.0
    baseFrequencyGHz: 1.44
memProfiles:
  DDR4: {idlePowerPerGB: 0.125, maxPowerPerGB: 0.375}
cloudInstanceMapping:
  aws:
    "p3.2xlarge": {cpuModel: x, gpuModel: "NVIDIA V100"}
)",
                                            "hardware-profiles.yaml");
  ASSERT_TRUE(profiles) << profiles.error().Message();
  ASSERT_EQ(profiles->size(), 2u);
  EXPECT_EQ(core::ProfileOf("NVIDIA A100-SXM4-40GB", *profiles).idle->watts, 25);
  EXPECT_EQ(core::ProfileOf("NVIDIA GeForce RTX 3080", *profiles).max->watts, 320);
}

TEST(DeviceFile, MistakesAreNamedWithTheirLines) {
  const struct {
    const char* text;
    const char* problem;
  } kFiles[] = {
      {"", "the file is empty"},
      {"device: {}", "did you mean \"devices\"?"},
      {"devices:\n  L4: {max_W: 72}", "own.yaml:2: "},
      {"devices:\n  L4: {max_W: 72}", "did you mean \"max_w\"?"},
      {"gpuProfiles:\n  L4: {maxpower: 72}", "did you mean \"maxPower\"?"},
      {"devices:\n  L4: {max_w: -1}", "own.yaml:2"},
      {"devices:\n  L4: {max_w: many}", "max_w"},
      {"devices:\n  L4: {tflops: 0}", "tflops"},
      {"devices:\n  L4: {idle_w: 80, max_w: 72}", "draws more power when idle"},
      {"devices:\n  L4: {}", "says nothing"},
      {"devices:\n  L4: {max_w: 72}\n  L4: {max_w: 72}", "own.yaml:3: \"L4\" is given twice"},
      {"devices: [L4]", "section of device models"},
      {"devices:\n  L4: 72", "own.yaml:2"},
  };
  for (const auto& file : kFiles) {
    const auto profiles = ParseDeviceProfiles(file.text, "own.yaml");
    ASSERT_FALSE(profiles) << file.text;
    EXPECT_THAT(profiles.error().Message(), HasSubstr(file.problem)) << file.text;
  }
}

}  // namespace
}  // namespace ebb::config
