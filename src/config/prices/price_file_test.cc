#include "config/prices/price_file.h"
#include "testing/source_tree.h"

#include <gtest/gtest.h>

#include "signals/traces/entsoe_for_test.h"
#include "signals/traces/expat.h"

namespace ebb::config {
namespace {

using std::chrono::hours;

Result<prices::PriceSource> Parse(const std::string& text, const std::string& csv = "") {
  return ParsePrices(text, "prices.yaml", [csv](const std::string& path) -> Result<std::string> {
    if (path == "day.csv") return csv;
    return Fail({ExitCode::kConfiguration, "is not there", path, ""});
  });
}

double At(const prices::PriceSource& source, const char* time) {
  const Time t = *ParseTime(time);
  return source.Over({t, t + Duration{1}}).samples().at(0).per_kwh;
}

// The default schedule of the reference's chart, word for word.
constexpr const char* kReference = R"(schedules:
  - name: california-pge
    dayOfWeek: "1-5"
    startTime: "16:00"
    endTime: "21:00"
    timezone: America/Los_Angeles
    peakRate: 0.30
    offPeakRate: 0.10
)";

TEST(PriceFile, TheReferencesSchedulesAreAcceptedAsTheyAre) {
  const auto source = Parse(kReference);
  ASSERT_TRUE(source) << source.error().Message();
  EXPECT_EQ(source->identity().currency, "USD");
  // Friday, 1 May 2026, 16:00 PDT is 23:00 UTC.
  EXPECT_EQ(At(*source, "2026-05-01T22:59Z"), 0.10);
  EXPECT_EQ(At(*source, "2026-05-01T23:00Z"), 0.30);
  EXPECT_EQ(At(*source, "2026-05-02T03:59Z"), 0.30);
  EXPECT_EQ(At(*source, "2026-05-02T04:00Z"), 0.10) << "the end is excluded";
  EXPECT_EQ(At(*source, "2026-05-02T23:30Z"), 0.10) << "a Saturday";
}

TEST(PriceFile, SchedulesWithoutRatesHaveARatioAndNoCurrency) {
  const auto source =
      Parse("schedules: [{dayOfWeek: 0-6, startTime: 16:00, endTime: 21:00, timezone: UTC}]");
  ASSERT_TRUE(source) << source.error().Message();
  EXPECT_EQ(source->identity().currency, "");
  EXPECT_EQ(At(*source, "2026-05-01T17:00Z"), 1.0);
  EXPECT_EQ(At(*source, "2026-05-01T21:00Z"), 0.5);
}

TEST(PriceFile, WhatEbbAdds) {
  const auto source = Parse(R"(
name: example
currency: EUR
flatRate: 0.28
schedules:
  - {name: night, startTime: "22:00", endTime: "06:00", timezone: Europe/Berlin, rate: 0.2}
  - {name: winter evening, dayOfWeek: Mon-Fri, startTime: "17:00", endTime: "24:00",
     timezone: Europe/Berlin, rate: 0.4, season: {from: 11-01, to: 02-28}}
holidays: [12-25, {date: 2026-12-24, as: sunday}]
)");
  ASSERT_TRUE(source) << source.error().Message();
  EXPECT_EQ(source->identity().currency, "EUR");
  EXPECT_EQ(At(*source, "2026-07-01T10:00Z"), 0.28);
  EXPECT_EQ(At(*source, "2026-07-01T20:00Z"), 0.2) << "22:00 CEST";
  EXPECT_EQ(At(*source, "2026-07-02T03:59Z"), 0.2);
  EXPECT_EQ(At(*source, "2026-07-02T04:00Z"), 0.28);
  EXPECT_EQ(At(*source, "2026-12-01T17:00Z"), 0.4);
  EXPECT_EQ(At(*source, "2026-12-01T21:30Z"), 0.2) << "the night comes first in the file";
  EXPECT_EQ(At(*source, "2026-12-24T17:00Z"), 0.28) << "as a Sunday";
  EXPECT_EQ(At(*source, "2026-12-25T22:00Z"), 0.28) << "no night begins on a holiday";
}

TEST(PriceFile, ADayAheadFileLiesBesideAndIsKnownFromItsPublication) {
  const auto source = Parse(
      "day_ahead: {file: day.csv, currency: EUR, unit: per_mwh, timezone: Europe/Berlin, "
      "published_at: \"12:45\"}",
      "timestamp,price\n2026-05-01T00:00Z,80\n2026-05-01T01:00Z,-5\n");
  ASSERT_TRUE(source) << source.error().Message();
  EXPECT_DOUBLE_EQ(At(*source, "2026-05-01T01:30Z"), -0.005);
  const Interval day{*ParseTime("2026-05-01"), *ParseTime("2026-05-02")};
  EXPECT_TRUE(source->Over(day).KnownAt(*ParseTime("2026-04-30T10:44Z"), day).empty());
  EXPECT_EQ(source->Over(day).KnownAt(*ParseTime("2026-04-30T10:45Z"), day).samples().size(), 2u);
}

TEST(PriceFile, MistakesNameFileAndLine) {
  struct Case {
    const char* text;
    const char* where;
    const char* what;
  };
  const Case cases[] = {
      {"", "prices.yaml", "the file is empty"},
      {"name: x", "prices.yaml", "needs schedules, flatRate or day_ahead"},
      {"shedules: []", "prices.yaml", "did you mean \"schedules\"?"},
      {"schedules: []", "prices.yaml:1", "at least one entry"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: Europe/Berln}", "prices.yaml:2",
       "did you mean \"Europe/Berlin\"?"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00}", "prices.yaml:2", "needs a timezone"},
      {"schedules:\n  - {starTime: 1:00, endTime: 2:00, timezone: UTC}", "prices.yaml",
       "did you mean \"startTime\"?"},
      {"schedules:\n  - {startTime: 25:00, endTime: 2:00, timezone: UTC}", "prices.yaml:2",
       "startTime must be a time from 00:00 to 23:59"},
      {"schedules:\n  - {startTime: 1:00, endTime: 24:30, timezone: UTC}", "prices.yaml:2",
       "endTime must be"},
      {"schedules:\n  - {startTime: 4:00, endTime: 04:00, timezone: UTC}", "prices.yaml:2",
       "ends when it begins"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: UTC, dayOfWeek: 1-7}",
       "prices.yaml:2", "dayOfWeek must be days"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: UTC, peakRate: 0.1}",
       "prices.yaml:2", "peakRate and offPeakRate, or neither"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: UTC, peakRate: 0.1, "
       "offPeakRate: 0.2}",
       "prices.yaml:2", "peakRate must be above offPeakRate"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: UTC, peakRate: cheap, "
       "offPeakRate: 0.2}",
       "prices.yaml", "must be a number"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: UTC, rate: 0.2}",
       "prices.yaml:2", "outside of the schedules"},
      {"schedules:\n  - {startTime: 1:00, endTime: 2:00, timezone: UTC, season: {from: 02-30, to: "
       "03-01}}",
       "prices.yaml:2", "season needs from and to"},
      {"flatRate: 1\nholidays: [christmas]", "prices.yaml:2", "a holiday must be a date"},
      {"flatRate: 1\nday_ahead: {file: day.csv}", "prices.yaml:2", "leave one out"},
      {"day_ahead: {zone: DE}", "prices.yaml:1", "needs the key file"},
      {"day_ahead: {file: other.csv}", "other.csv", "is not there"},
      {"day_ahead: {file: day.csv, timezone: Mars}", "prices.yaml:1", "time zone \"Mars\""},
      {"day_ahead: {file: day.csv, published_at: 13:00}", "prices.yaml:1", "needs a timezone"},
  };
  for (const Case& c : cases) {
    const auto source = Parse(c.text, "timestamp,price_eur_per_kwh\n2026-05-01T00:00Z,1\n");
    ASSERT_FALSE(source) << c.text;
    EXPECT_NE(source.error().Message().find(c.what), std::string::npos) << source.error().Message();
    EXPECT_EQ(source.error().where.rfind(c.where, 0), 0u) << source.error().Message();
  }
}

TEST(PriceFile, ADocumentOfEntsoeIsASeriesWhateverItsName) {
  if (!signals::LibExpat()) GTEST_SKIP() << "Expat is not installed";
  const std::string text = signals::EntsoePriceDocument(signals::EntsoePrice(
      "", {"2026-05-01T22:00Z", "2026-05-02T00:00Z", "PT60M", {{1, 80}, {2, -10}}}));
  const auto source = ParsePrices(text, "prices", [](const std::string& path) {
    return Result<std::string>(Fail({ExitCode::kConfiguration, "is not there", path, ""}));
  });
  ASSERT_TRUE(source) << source.error().Message();
  const auto prices = source->Over({*ParseTime("2026-05-01"), *ParseTime("2026-05-04")});
  ASSERT_EQ(prices.samples().size(), 2U);
  EXPECT_DOUBLE_EQ(prices.samples()[1].per_kwh, -0.01);
  EXPECT_EQ(prices.samples()[1].known_from, *ParseTime("2026-04-30T12:00Z"));
}

TEST(PriceFile, WhenAPriceWasPublishedItsRowMaySay) {
  const auto source = ParsePrices(
      "timestamp,price_eur_per_mwh,published\n2026-05-01T00:00Z,80,2026-04-30T11:05Z\n", "p.csv",
      [](const std::string& path) {
        return Result<std::string>(Fail({ExitCode::kConfiguration, "is not there", path, ""}));
      });
  ASSERT_TRUE(source) << source.error().Message();
  const auto prices = source->Over({*ParseTime("2026-05-01"), *ParseTime("2026-05-02")});
  EXPECT_EQ(prices.samples().at(0).known_from, *ParseTime("2026-04-30T11:05Z"));
}

TEST(PriceFile, TheShippedTariffsLoad) {
  for (const char* name : {"california-pge", "example-night"}) {
    const auto source = LoadPrices(SourceTree() + "/configs/prices/" + name + ".yaml");
    ASSERT_TRUE(source) << source.error().Message();
    EXPECT_NE(source->tariff(), nullptr);
  }
}

}  // namespace
}  // namespace ebb::config
