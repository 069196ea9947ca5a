#include "base/units_text.h"

#include <gtest/gtest.h>

namespace ebb {
namespace {

TEST(UnitsText, HasThreeDigitsInTheUnitThatFits) {
  EXPECT_EQ(EmissionsText({4.95e-7}), "495 ng");
  EXPECT_EQ(EmissionsText({0.00817}), "8.17 mg");
  EXPECT_EQ(EmissionsText({0.04}), "40.0 mg");
  EXPECT_EQ(EmissionsText({1234.5}), "1.23 kg");
  EXPECT_EQ(EmissionsText({-2.5}), "-2.50 g");
  EXPECT_EQ(EnergyText(Energy::Joules(0.518)), "518 mJ");
  EXPECT_EQ(EnergyText(Energy::Microjoules(7)), "7.00 \u00b5J");
  EXPECT_EQ(EnergyText(Energy::Joules(4320)), "1.20 Wh");
  EXPECT_EQ(EnergyText(Energy::Joules(3.6e9)), "1.00 MWh");
  EXPECT_EQ(PowerText({38.21}), "38.2 W");
  EXPECT_EQ(PowerText({1200}), "1.20 kW");
  EXPECT_EQ(BytesText(74.06e6), "74.1 MB");
}

TEST(UnitsText, AnEnergyOfAUnitOfWorkMayBeLessThanAMicrojoule) {
  EXPECT_EQ(JoulesText(0.00412), "4.12 mJ");
  EXPECT_EQ(JoulesText(1.2e-7), "120 nJ");
  EXPECT_EQ(JoulesText(7200), "2.00 Wh");
  EXPECT_EQ(JoulesText(0), "0 J");
}

TEST(UnitsText, CountsHaveTheirThousandsApart) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1'234'567), "1,234,567");
}

TEST(UnitsText, ZeroIsZeroOfTheBaseUnit) {
  EXPECT_EQ(EmissionsText({}), "0 g");
  EXPECT_EQ(EnergyText({}), "0 J");
  EXPECT_EQ(PowerText({}), "0 W");
}

TEST(UnitsText, WhatRoundsUpToTheNextUnitIsInIt) {
  EXPECT_EQ(EmissionsText({999.6}), "1.00 kg");
  EXPECT_EQ(EmissionsText({9.996}), "10.0 g");
  EXPECT_EQ(EnergyText(Energy::Joules(3599.9)), "1.00 Wh");
  EXPECT_EQ(EnergyText(Energy::Joules(3598)), "3598 J");
}

TEST(UnitsText, MoneyIsNeverInExponents) {
  EXPECT_EQ(MoneyText(0.01234, "EUR"), "0.0123 EUR");
  EXPECT_EQ(MoneyText(2.79e-10, "EUR"), "under 0.000001 EUR");
  EXPECT_EQ(MoneyText(0, "EUR"), "0 EUR");
}

TEST(UnitsText, AChangeIsInPercentUntilItIsManyTimes) {
  EXPECT_EQ(ChangeText(-34.26), "34.3 % less");
  EXPECT_EQ(ChangeText(899.9), "899.9 % more");
  EXPECT_EQ(ChangeText(1130), "12.3 times as much");
  EXPECT_EQ(ChangeText(867135), "8,672 times as much");
  EXPECT_EQ(ChangeText(0.01), "the same");
}

TEST(UnitsText, AChangeAgainstSomethingIsASentence) {
  EXPECT_EQ(ChangeAgainst(-60, "a"), "60.0 % less than a");
  EXPECT_EQ(ChangeAgainst(867135, "a"), "8,672 times as much as a");
  EXPECT_EQ(ChangeAgainst(0, "a"), "as much as a");
}

TEST(UnitsText, SignedPercentsTooAreSaidInTimes) {
  EXPECT_EQ(SignedPercentText(279.94), "+279.9 %");
  EXPECT_EQ(SignedPercentText(867135), "8,672 times");
  EXPECT_EQ(TimesText(1234567), "1,234,567 times");
  EXPECT_EQ(TimesText(999), "999 times");
}

}  // namespace
}  // namespace ebb
