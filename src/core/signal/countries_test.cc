#include "core/signal/countries.h"

#include <gtest/gtest.h>

#include <set>

namespace ebb::core {
namespace {

TEST(Countries, EveryCodeIsThereOnceAndHasItsShape) {
  std::set<std::string_view> iso2, iso3, names;
  for (const Country& country : Countries()) {
    EXPECT_EQ(country.iso2.size(), 2u) << country.name;
    EXPECT_EQ(country.iso3.size(), 3u) << country.name;
    EXPECT_TRUE(iso2.insert(country.iso2).second) << country.iso2;
    EXPECT_TRUE(iso3.insert(country.iso3).second) << country.iso3;
    EXPECT_TRUE(names.insert(country.name).second) << country.name;
  }
  EXPECT_EQ(iso2.size(), 249u) << "the codes assigned by ISO 3166-1";
}

TEST(Countries, AMeanIsAPlausibleIntensityAndOfAYear) {
  int with_mean = 0;
  for (const Country& country : Countries()) {
    if (!country.has_mean()) continue;
    ++with_mean;
    EXPECT_GT(country.mean_g_per_kwh, 10) << country.name;
    EXPECT_LT(country.mean_g_per_kwh, 1400) << country.name;
    EXPECT_GE(country.year, 2009) << country.name;
  }
  EXPECT_EQ(with_mean, 212);
}

// Our World in Data's figures for 2023, as CodeCarbon 3.3.0 has them.
TEST(Countries, HasThePublishedFigures) {
  const struct {
    const char* code;
    double g_per_kwh;
  } published[] = {{"FRA", 56.039},  {"DEU", 380.95},  {"USA", 369.473}, {"CAN", 170.043},
                   {"GBR", 237.589}, {"POL", 661.926}, {"SWE", 40.695},  {"NOR", 30.08}};
  for (const auto& row : published) {
    const Country* country = FindCountry(row.code);
    ASSERT_TRUE(country) << row.code;
    EXPECT_EQ(country->mean_g_per_kwh, row.g_per_kwh) << row.code;
    EXPECT_EQ(country->year, 2023) << row.code;
  }
}

TEST(Countries, AreFoundByCodeNameAndZone) {
  const Country* france = FindCountry("FRA");
  ASSERT_TRUE(france);
  EXPECT_EQ(FindCountry("fr"), france);
  EXPECT_EQ(FindCountry("france"), france);
  EXPECT_EQ(CountryOfZone("FR"), france);
  EXPECT_EQ(CountryOfZone("US-CAL-CISO")->iso3, "USA");
  EXPECT_EQ(CountryOfZone("neo"), nullptr);
  EXPECT_EQ(FindCountry(""), nullptr);
  EXPECT_FALSE(FindCountry("ATA")->has_mean()) << "nobody publishes a mean of Antarctica";
}

TEST(Countries, AWrongCodeGetsASuggestion) {
  EXPECT_EQ(CountrySuggestionText("UK"), " (did you mean \"GBR\"?)");
  EXPECT_EQ(CountrySuggestionText("Germny"), " (did you mean \"Germany\"?)");
  EXPECT_EQ(CountrySuggestionText("Atlantis and Mu"), "");
}

}  // namespace
}  // namespace ebb::core
