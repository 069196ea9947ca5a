// The short form of bench/soak: a day in seconds, with everything that can go wrong.

#include <gtest/gtest.h>

#include "service/soak_for_test.h"

namespace ebb::service {
namespace {

TEST(Soak, ADayWithFaultsEndsEveryJobOnceAndReportsWhatWasMeasured) {
  const SoakResult result = Soak("soak", {});
  for (const std::string& problem : result.problems) ADD_FAILURE() << problem;
  EXPECT_GT(result.succeeded, 10);
  EXPECT_GT(result.failed, 2);
  EXPECT_GT(result.pauses, 0);
  EXPECT_GT(result.starts_that_failed, 0);
  EXPECT_GE(result.refused_for_now, 2);
  EXPECT_GT(result.refused_without_program, 0);
  EXPECT_GT(result.energy, Energy{});
}

}  // namespace
}  // namespace ebb::service
