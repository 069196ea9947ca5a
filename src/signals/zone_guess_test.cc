#include "signals/zone_guess.h"

#include <gtest/gtest.h>

#include "platform/file.h"

namespace ebb::signals {
namespace {

constexpr const char* kTab =
    "#code\tcoordinates\tTZ\tcomments\nDE\t+5230+01322\tEurope/Berlin\tmost of Germany\n"
    "US\t+5848-15000\tAmerica/Anchorage\tAlaska\nIT\t+4154+01229\tEurope/Rome\n";

TEST(ZoneGuess, IsTheCountryOfTheTimeZoneOrTheGridOfItsCity) {
  EXPECT_EQ(ZoneOfTimeZone("Europe/Berlin", kTab), "DE");
  EXPECT_EQ(ZoneOfTimeZone("Europe/Rome", kTab), "IT");
  EXPECT_EQ(ZoneOfTimeZone("America/Anchorage", kTab), "US") << "of its grid nothing is known";
  EXPECT_EQ(ZoneOfTimeZone("America/New_York", kTab), "US-NY-NYIS");
  EXPECT_EQ(ZoneOfTimeZone("Australia/Perth", kTab), "AU-WA");
  EXPECT_EQ(ZoneOfTimeZone("America/Los_Angeles", kTab), "US-CAL-CISO");
}

TEST(ZoneGuess, NothingIsGuessedFromUtcOrAnUnknownName) {
  for (const char* name : {"UTC", "Etc/UTC", "", "TZ", "Europe/Atlantis", "DE"})
    EXPECT_EQ(ZoneOfTimeZone(name, kTab), std::nullopt) << name;
}

TEST(ZoneGuess, TheTableOfThisMachineKnowsTheWorld) {
  const auto tab = platform::ReadFile("/usr/share/zoneinfo/zone.tab", 1 << 20);
  if (!tab) GTEST_SKIP() << tab.error().Message();
  EXPECT_EQ(ZoneOfTimeZone("Europe/Paris", *tab), "FR");
  EXPECT_EQ(ZoneOfTimeZone("Africa/Johannesburg", *tab), "ZA");
}

}  // namespace
}  // namespace ebb::signals
