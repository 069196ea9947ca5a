#include "signals/traces/entsoe_document.h"

#include <gtest/gtest.h>

#include "signals/traces/entsoe_for_test.h"
#include "signals/traces/expat.h"
#include "signals/traces/operator_text.h"
#include "signals/traces/xml_tree.h"

namespace ebb::signals {
namespace {

Time At(const char* text) { return *ParseTime(text); }

class EntsoeDocuments : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!LibExpat()) GTEST_SKIP() << "Expat is not installed";
  }
};

Status Read(const std::string& text, OperatorParts& parts) {
  return ReadOperatorText(text, "e.xml", "DE", parts);
}

core::PriceSeries Prices(const std::string& text) {
  const auto document = ParseEntsoeDocument(text, "e.xml");
  EXPECT_TRUE(document) << document.error().Message();
  const auto prices = EntsoePrices(*document, "e.xml");
  EXPECT_TRUE(prices) << prices.error().Message();
  return *prices;
}

TEST_F(EntsoeDocuments, LoadWindAndSunBecomeHours) {
  OperatorParts parts;
  const EntsoePeriodForTest load{"2026-05-01T22:00Z",
                                 "2026-05-02T00:00Z",
                                 "PT15M",
                                 {{1, 40'000}, {2, 41'000}, {3, 42'000}, {4, 43'000}, {5, 50'000}}};
  EXPECT_TRUE(Read(EntsoeGlDocument("A65", EntsoePower("", load)), parts));
  const EntsoePeriodForTest wind{
      "2026-05-01T22:00Z", "2026-05-02T00:00Z", "PT60M", {{1, 8000}, {2, 9000}}};
  const EntsoePeriodForTest sun{"2026-05-01T22:00Z", "2026-05-02T00:00Z", "PT30M", {{1, 0}}};
  EXPECT_TRUE(Read(EntsoeGlDocument("A69", EntsoePower("B19", wind) + EntsoePower("B18", wind) +
                                               EntsoePower("B16", sun)),
                   parts));
  const auto hours = parts.ByHour("e.xml");
  ASSERT_TRUE(hours) << hours.error().Message();
  ASSERT_EQ(hours->size(), 2U);
  EXPECT_EQ(hours->at(0), (ExpectedHour{At("2026-05-01T22:00Z"), 41'500, 16'000, 0}));
  EXPECT_EQ(hours->at(1), (ExpectedHour{At("2026-05-01T23:00Z"), 50'000, 18'000, 0}));
}

// The expected document writes each position out: a missing position repeats the one before, except
// in curve A01.
TEST_F(EntsoeDocuments, APositionThatIsLeftOutRepeatsTheOneBefore) {
  const EntsoePeriodForTest sparse{
      "2026-05-01T22:00Z", "2026-05-02T02:00Z", "PT60M", {{1, 5}, {3, 7}}};
  const auto document =
      *ParseEntsoeDocument(EntsoeGlDocument("A65", EntsoePower("", sparse)), "e.xml");
  ASSERT_EQ(document.series.size(), 1U);
  std::vector<double> values;
  for (const EntsoeValue& value : document.series[0].values) values.push_back(value.value);
  EXPECT_EQ(values, (std::vector<double>{5, 5, 7, 7}));
  const auto points =
      *ParseEntsoeDocument(EntsoeGlDocument("A65", EntsoePower("", sparse, "A01")), "e.xml");
  ASSERT_EQ(points.series[0].values.size(), 2U);
  EXPECT_EQ(points.series[0].values[1].interval.begin, At("2026-05-02T00:00Z"));
}

TEST_F(EntsoeDocuments, PricesAreThoseOfTheFirstAuction) {
  const EntsoePeriodForTest first{
      "2026-05-01T22:00Z", "2026-05-01T23:00Z", "PT15M", {{1, 92}, {2, -8}, {4, 10}}};
  const EntsoePeriodForTest second{"2026-05-01T22:00Z", "2026-05-01T23:00Z", "PT15M", {{1, 1}}};
  const auto prices =
      Prices(EntsoePriceDocument(EntsoePrice("2", second) + EntsoePrice("1", first)));
  EXPECT_EQ(prices.identity().currency, "EUR");
  ASSERT_EQ(prices.samples().size(), 4U);
  EXPECT_DOUBLE_EQ(prices.samples()[0].per_kwh, 0.092);
  EXPECT_DOUBLE_EQ(prices.samples()[2].per_kwh, -0.008);
  EXPECT_DOUBLE_EQ(prices.samples()[3].per_kwh, 0.01);
}

TEST_F(EntsoeDocuments, OfTwoResolutionsTheHourCounts) {
  const EntsoePeriodForTest hour{"2020-05-01T22:00Z", "2020-05-01T23:00Z", "PT60M", {{1, 50}}};
  const EntsoePeriodForTest quarters{"2020-05-01T22:00Z", "2020-05-02T00:00Z", "PT15M", {{1, 60}}};
  for (const std::string& series : {EntsoePrice("", hour) + EntsoePrice("", quarters),
                                    EntsoePrice("", quarters) + EntsoePrice("", hour)}) {
    const auto prices = Prices(EntsoePriceDocument(series));
    ASSERT_EQ(prices.samples().size(), 5U);
    EXPECT_DOUBLE_EQ(prices.samples()[0].per_kwh, 0.05);
    EXPECT_DOUBLE_EQ(prices.samples()[1].per_kwh, 0.06);
  }
}

TEST_F(EntsoeDocuments, DaysOf23And25HoursHaveAllTheirHours) {
  for (const auto& [begin, end, hours] : {std::tuple("2025-03-29T23:00Z", "2025-03-30T22:00Z", 23),
                                          {"2025-10-25T22:00Z", "2025-10-26T23:00Z", 25}}) {
    EntsoePeriodForTest day{begin, end, "PT60M", {}};
    for (int hour = 1; hour <= hours; ++hour) day.points.emplace_back(hour, hour);
    const auto prices = Prices(EntsoePriceDocument(EntsoePrice("", day)));
    ASSERT_EQ(prices.samples().size(), static_cast<std::size_t>(hours));
    EXPECT_EQ(prices.samples().back().interval.end, At(end));
  }
}

TEST_F(EntsoeDocuments, ARefusalSaysItsReason) {
  OperatorParts parts;
  const auto refused = Read(EntsoeRefusal("No matching data found"), parts);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("No matching data found"), std::string::npos);
}

TEST_F(EntsoeDocuments, WhatCannotBeTrustedIsRefusedWithItsLine) {
  const EntsoePeriodForTest day{"2026-05-01T22:00Z", "2026-05-02T22:00Z", "PT60M", {{1, 1}}};
  EntsoePeriodForTest far = day, twice = day, weeks = day, crooked = day, huge = day;
  far.points = {{25, 1}};
  twice.points = {{2, 1}, {2, 1}};
  weeks.resolution = "P7D";
  crooked.end = "2026-05-02T22:10Z";
  huge.points = {{1, 1e9}};
  const auto load = [](const EntsoePeriodForTest& period) {
    return EntsoeGlDocument("A65", EntsoePower("", period));
  };
  const std::string good = load(day);
  const struct {
    std::string text;
    const char* what;
  } cases[] = {
      {load(far), "position \"25\" is not one of 1 to 24"},
      {load(twice), "not in order"},
      {load(weeks), "resolution \"P7D\""},
      {load(crooked), "steps of the resolution"},
      {load(huge), "power"},
      {EntsoeGlDocument("A65", EntsoePower("", day), "A16"), "not a forecast of the day ahead"},
      {EntsoeGlDocument("A75", EntsoePower("B19", day)), "not a forecast of the day ahead"},
      {EntsoeGlDocument("A69", EntsoePower("B14", day)), "neither sun"},
      {EntsoeGlDocument("A65", EntsoePower("", day, "A02")), "curve type"},
      {EntsoePriceDocument(EntsoePrice("", day)), "not a forecast of the day ahead"},
      {good.substr(0, good.size() - 20), "is no XML"},
      {"<a><b></a>", "is no XML"},
      {"<html></html>", "neither GL_MarketDocument"},
      {"<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "document type"},
  };
  for (const auto& c : cases) {
    OperatorParts parts;
    const auto read = Read(c.text, parts);
    ASSERT_FALSE(read) << c.text;
    EXPECT_NE(read.error().what.find(c.what), std::string::npos) << read.error().Message();
    EXPECT_TRUE(read.error().where.starts_with("e.xml")) << read.error().where;
  }
}

TEST_F(EntsoeDocuments, NestingHasALimit) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  const auto tree = ParseXml(deep, "d.xml");
  ASSERT_FALSE(tree);
  EXPECT_NE(tree.error().what.find("nested deeper"), std::string::npos) << tree.error().what;
}

TEST_F(EntsoeDocuments, PrefixesOfNamespacesDoNotMatter) {
  const auto tree = ParseXml("<n:a xmlns:n='u'>\n <n:b> x </n:b><n:b>y</n:b></n:a>", "d.xml");
  ASSERT_TRUE(tree) << tree.error().Message();
  EXPECT_EQ(tree->name, "a");
  EXPECT_EQ(tree->TextOf("b"), "x");
  EXPECT_EQ(tree->children.size(), 2U);
  EXPECT_EQ(tree->children[0].line, 2U);
}

}  // namespace
}  // namespace ebb::signals
