#include "platform/program_output.h"

#include <gtest/gtest.h>

namespace ebb::platform {
namespace {

TEST(ProgramOutput, IsWhatItPrints) {
  EXPECT_EQ(*OutputOf({"sh", "-c", "echo $A; echo more >&2"}, {{"A", "b"}}), "b\n");
  EXPECT_EQ(*OutputOf({"sh", "-c", "echo $HOME"}, {{"HOME", "x"}}), "x\n") << "not ours";
  EXPECT_EQ(*OutputOf({"true"}, {}), "");
}

TEST(ProgramOutput, FailuresAreErrors) {
  EXPECT_EQ(OutputOf({"nosuch-program"}, {}).error().what, "command not found");
  EXPECT_EQ(OutputOf({"sh", "-c", "echo x; exit 3"}, {}).error().what, "failed");
  EXPECT_FALSE(OutputOf({"sleep", "10"}, {}, Duration{50})) << "it takes too long";
  EXPECT_FALSE(OutputOf({"yes"}, {}, Duration{10'000}, 1000)) << "it prints too much";
  EXPECT_FALSE(OutputOf({"sh", "-c", "exec sleep 10 >&-"}, {}, Duration{50})) << "it goes on";
}

TEST(ProgramOutput, AnEndHasItsCodeAndItsErrors) {
  const auto end = RunToEnd({"sh", "-c", "echo out; echo wrong >&2; exit 3"}, {});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->exit_code, 3);
  EXPECT_EQ(end->output, "out\n");
  EXPECT_EQ(end->errors, "wrong\n");
  EXPECT_EQ(RunToEnd({"sh", "-c", "kill -TERM $$"}, {})->exit_code, 143);
  EXPECT_EQ(RunToEnd({"nosuch-program"}, {}).error().what, "command not found");
  EXPECT_FALSE(RunToEnd({"sleep", "10"}, {}, Duration{50}));
}

}  // namespace
}  // namespace ebb::platform
