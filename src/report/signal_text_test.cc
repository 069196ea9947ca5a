#include "report/signal_text.h"

#include <gtest/gtest.h>

namespace ebb::report {
namespace {

TEST(SignalText, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ(SignalText({"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle, "measured"}),
            "DE, average, lifecycle; measured");
  EXPECT_EQ(SignalText({"", core::SignalKind::kMarginal, core::Boundary::kUnknown, "a file"}),
            "marginal; a file");
  EXPECT_EQ(SignalText({}), "average");
}

}  // namespace
}  // namespace ebb::report
