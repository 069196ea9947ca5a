#include "signals/generation/generation_mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

using core::Boundary;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kNoon = *ParseTime("2026-05-06T12:00Z");
constexpr Duration kStep{minutes{5}};

GenerationRow Row(int step, const char* category, Fuel fuel, std::optional<double> megawatts) {
  return {kNoon + step * kStep, category, fuel, megawatts};
}
std::vector<Point> Points(const std::vector<GenerationRow>& rows,
                          Boundary boundary = Boundary::kLifecycle) {
  const auto points = IntensityOf(rows, kStep, boundary, "x");
  EXPECT_TRUE(points) << points.error().Message();
  return points.value_or(std::vector<Point>{});
}

TEST(GenerationMix, WeighsTheFactorsByWhatEachFuelGenerated) {
  const std::vector<GenerationRow> rows{Row(0, "Gas", Fuel::kGas, 300),
                                        Row(0, "Sun", Fuel::kSolar, 100)};
  const auto points = Points(rows);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(*points[0].value, (490 * 300 + 48 * 100) / 400.0);
  EXPECT_EQ(points[0].begin, kNoon);
  EXPECT_EQ(points[0].end, kNoon + kStep);
  EXPECT_EQ(points[0].status, core::SampleStatus::kMeasured);
  EXPECT_DOUBLE_EQ(*Points(rows, Boundary::kDirect)[0].value, 370 * 0.75);
}

TEST(GenerationMix, NeitherStorageNorImportsNorUseAtNightAreGenerated) {
  const auto points =
      Points({Row(0, "Gas", Fuel::kGas, 100), Row(0, "Sun", Fuel::kSolar, -50),
              Row(0, "Batteries", Fuel::kStorage, -4000), Row(0, "Imports", Fuel::kImports, 5000)});
  EXPECT_DOUBLE_EQ(*points[0].value, 490);
}

TEST(GenerationMix, ATimeThatLacksACategoryThatMattersIsAGapAndNotZero) {
  std::vector<GenerationRow> rows{
      Row(0, "Gas", Fuel::kGas, 100),        Row(0, "Wind", Fuel::kWind, 100),
      Row(0, "Geo", Fuel::kGeothermal, 0.5), Row(1, "Gas", Fuel::kGas, std::nullopt),
      Row(1, "Wind", Fuel::kWind, 100),      Row(1, "Geo", Fuel::kGeothermal, 0.5),
      Row(2, "Wind", Fuel::kWind, 100),      Row(2, "Geo", Fuel::kGeothermal, 0.5),
      Row(3, "Gas", Fuel::kGas, 100),        Row(3, "Wind", Fuel::kWind, 100)};
  const auto points = Points(rows);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_TRUE(points[0].value);
  EXPECT_FALSE(points[1].value) << "its gas is null: not clean";
  EXPECT_FALSE(points[2].value) << "its gas is missing: not clean";
  EXPECT_TRUE(points[3].value) << "what is missing is less than a hundredth";
}

TEST(GenerationMix, MoreThanATenthOfUnknownFuelIsAGap) {
  const auto points = Points({Row(0, "Gas", Fuel::kGas, 95), Row(0, "Other", Fuel::kOther, 5),
                              Row(1, "Gas", Fuel::kGas, 80), Row(1, "Other", Fuel::kOther, 20),
                              Row(2, "Gas", Fuel::kGas, 0), Row(2, "Other", Fuel::kOther, 0)});
  EXPECT_DOUBLE_EQ(*points[0].value, 490) << "not diluted by what is not known";
  EXPECT_FALSE(points[1].value);
  EXPECT_FALSE(points[2].value) << "nothing generated: no mean";
}

TEST(GenerationMix, OfARepeatedRowTheLaterCountsAndItIsNotDoubled) {
  const auto points = Points({Row(0, "Gas", Fuel::kGas, 100), Row(0, "Wind", Fuel::kWind, 100),
                              Row(0, "Wind", Fuel::kWind, 300)});
  EXPECT_DOUBLE_EQ(*points[0].value, (490 * 100 + 11 * 300) / 400.0);
}

TEST(GenerationMix, WhatCannotBeMegawattsIsRefused) {
  EXPECT_THAT(
      IntensityOf({Row(0, "Gas", Fuel::kGas, 1e9)}, kStep, Boundary::kLifecycle, "x").error().what,
      HasSubstr("MW at 2026-05-06T12:00:00Z"));
  EXPECT_FALSE(IntensityOf({Row(0, "Gas", Fuel::kGas, NAN)}, kStep, Boundary::kLifecycle, "x"));
  EXPECT_EQ(*MegawattsFrom(" ", "x"), std::nullopt);
  EXPECT_EQ(*MegawattsFrom("-62.5", "x"), -62.5);
  EXPECT_FALSE(MegawattsFrom("n/a", "x"));
}

TEST(GenerationMix, ACategoryThatIsNotKnownIsOther) {
  constexpr NamedFuel kNames[]{{"Natural Gas", Fuel::kGas}};
  EXPECT_EQ(FuelOf(kNames, "natural gas"), Fuel::kGas);
  EXPECT_EQ(FuelOf(kNames, "Hydrogen"), Fuel::kOther);
  EXPECT_EQ(GramsPerKwhOf(Fuel::kOther, Boundary::kLifecycle), std::nullopt);
  for (int fuel = 0; fuel < static_cast<int>(Fuel::kOther); ++fuel) {
    const auto whole = GramsPerKwhOf(static_cast<Fuel>(fuel), Boundary::kLifecycle);
    const auto direct = GramsPerKwhOf(static_cast<Fuel>(fuel), Boundary::kDirect);
    EXPECT_GT(whole, direct) << fuel << ": the chimney is a part of the life cycle";
  }
}

}  // namespace
}  // namespace ebb::signals
