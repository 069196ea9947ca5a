#include "base/units.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace ebb {
namespace {

TEST(Units, OneKilowattHourIsThreePointSixMegajoules) {
  EXPECT_DOUBLE_EQ(Energy::Joules(3.6e6).kwh(), 1.0);
  EXPECT_GT(Energy::Joules(1e300), Energy::Joules(9e12)) << "too large, and not negative";
  EXPECT_LT(Energy::Joules(-1e300), Energy::Joules(-9e12));
  EXPECT_DOUBLE_EQ(EmissionsOf(Energy::Joules(3.6e6), Pue{1.2}, Intensity{250}).grams, 300.0);
}

TEST(Units, SumsOfEnergyDoNotDependOnTheirOrder) {
  Random random(1);
  std::vector<Energy> parts;
  for (int i = 0; i < 10'000; ++i) parts.push_back(Energy::Joules(random.Uniform(0, 1e4)));
  Energy forward, backward;
  for (auto it = parts.begin(); it != parts.end(); ++it) forward += *it;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) backward += *it;
  EXPECT_EQ(forward, backward);
}

}  // namespace
}  // namespace ebb
