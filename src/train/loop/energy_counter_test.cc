#include "train/loop/energy_counter.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::train {
namespace {

class EnergyCounterTest : public testing::Test {
 protected:
  EnergyCounterTest() { ::setenv("EBB_FAKE_NVML_STATE", file_.c_str(), 1); }
  ~EnergyCounterTest() override { ::unsetenv("EBB_FAKE_NVML_STATE"); }

  // The reading of the second GPU on a machine with these GPUs.
  std::optional<double> JoulesOfSecond(const std::string& gpus) const {
    EXPECT_TRUE(platform::WriteFileAtomically(file_, gpus));
    const auto counter = EnergyCounter::Open(EBB_FAKE_NVML, "0000:01:00.0");
    return counter ? counter->Joules() : std::nullopt;
  }

  const platform::Path file_ = ScratchDirectory("energy-counter") / "nvml.txt";
};

TEST_F(EnergyCounterTest, IsThatOfTheGpuAtThisPlaceOfTheBus) {
  const auto joules = JoulesOfSecond("GPU-a | L4 | 5000 | 30000\nGPU-b | L4 | 7250 | 30000\n");
  ASSERT_TRUE(joules);
  EXPECT_EQ(*joules, 7.25);
}

TEST_F(EnergyCounterTest, IsUnknownIfItIsNotOfThisGpuAlone) {
  const std::string first = "GPU-a | L4 | 5000 | 30000\n";
  EXPECT_FALSE(JoulesOfSecond(first)) << "no such GPU";
  EXPECT_FALSE(JoulesOfSecond(first + "GPU-b | P40 | | 30000\n")) << "no counter";
  EXPECT_FALSE(JoulesOfSecond(first + "GPU-b | A100 | 7250 | 30000 | MIG-1\n")) << "divided";
  EXPECT_FALSE(JoulesOfSecond("! init 18\n" + first + "GPU-b | L4 | 7250 | 30000\n"));
  EXPECT_FALSE(JoulesOfSecond(first + "GPU-b | L4 | 7250 | 30000 | | | 15\n")) << "lost";
  EXPECT_FALSE(EnergyCounter::Open("/nonexistent/libnvidia-ml.so.1", "0000:01:00.0"));
}

}  // namespace
}  // namespace ebb::train
