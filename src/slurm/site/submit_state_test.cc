#include "slurm/site/submit_state.h"

#include <gtest/gtest.h>

namespace ebb::slurm {
namespace {

TEST(SubmitState, OneKeyInALine) {
  const SubmitState state{*ParseTime("2026-11-27T12:00:00Z"),
                          std::chrono::hours{12},
                          {"main", "green"},
                          {"lab"},
                          {"low"}};
  EXPECT_EQ(
      *SubmitStateText(state),
      "until 1795780800\ndelay 43200\npartition main\npartition green\naccount lab\nqos low\n");
}

TEST(SubmitState, NamesCannotAddLines) {
  for (const std::string name : {"", "a b", "a\nqos normal"})
    EXPECT_FALSE(SubmitStateText({{}, {}, {}, {}, {name}})) << name;
}

}  // namespace
}  // namespace ebb::slurm
