#include "app/options/flag_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FlagValues, NamesTheFlagOfAValueThatCannotBeRead) {
  const auto time = TimeOf("--at", "tomorrow");
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().code, ExitCode::kUsage);
  EXPECT_THAT(time.error().Message(), HasSubstr("--at"));
  const auto duration = DurationOf("--grace", "soon");
  ASSERT_FALSE(duration);
  EXPECT_THAT(duration.error().Message(), HasSubstr("--grace"));
}

TEST(FlagValues, ReadsGpusByIndexAndIdentifier) {
  const auto gpus = GpusOf("--gpus", "0, 3,GPU-12ab");
  ASSERT_TRUE(gpus);
  EXPECT_THAT(*gpus, ElementsAre("0", "3", "GPU-12ab"));
}

TEST(FlagValues, RefusesWhatIsNoGpuAndAGpuGivenTwice) {
  for (const char* text : {"abc", "0,0", "-1", "0,,1", "GPU-", ""})
    EXPECT_FALSE(GpusOf("--gpus", text)) << text;
}

}  // namespace
}  // namespace ebb::app
