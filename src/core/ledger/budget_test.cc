#include "core/ledger/budget.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

TEST(Budget, AmountsAreInTheUnitThatFits) {
  EXPECT_EQ(AmountText(2, BudgetMeasure::kEnergy), "2.00 kWh");
  EXPECT_EQ(AmountText(1.4e-7, BudgetMeasure::kEnergy), "504 mJ");
  EXPECT_EQ(AmountText(0.00817, BudgetMeasure::kEmissions), "8.17 mg");
}

}  // namespace
}  // namespace ebb::core
