#include "core/devices/power_cap.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

TEST(PowerCap, IsWattsOrPartOfTheDefault) {
  const struct {
    const char* text;
    PowerCap cap;
  } kGood[] = {
      {"250", {250, 0}}, {"250W", {250, 0}}, {" 62.5 w ", {62.5, 0}},      {"70%", {0, 70}},
      {"70 %", {0, 70}}, {"100%", {0, 100}}, {"auto", {.automatic = true}}};
  for (const auto& good : kGood) {
    const auto cap = ParsePowerCap(good.text);
    ASSERT_TRUE(cap) << good.text;
    EXPECT_EQ(*cap, good.cap) << good.text;
    EXPECT_EQ(*ParsePowerCap(Describe(*cap)), *cap);
  }
  for (const char* bad :
       {"", "W", "%", "-5", "0", "101%", "9%", "20000", "a lot", "250kW", "nan"}) {
    const auto cap = ParsePowerCap(bad);
    ASSERT_FALSE(cap) << bad;
    EXPECT_NE(cap.error().Message().find("70%"), std::string::npos);
  }
}

TEST(PowerCap, ASlowdownIsAShareOfTheTimeOfAStep) {
  for (const char* text : {"5", "5%", " 5 % "}) EXPECT_EQ(ParseSlowdown(text)->percent, 5) << text;
  EXPECT_EQ(ParseSlowdown(Describe(Slowdown{7.5}))->percent, 7.5);
  for (const char* bad : {"", "%", "-1", "101%", "a little", "nan"})
    EXPECT_FALSE(ParseSlowdown(bad)) << bad;
}

}  // namespace
}  // namespace ebb::core
