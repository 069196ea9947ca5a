#include "prices/tariff.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "prices/price_source.h"

namespace ebb::prices {
namespace {

namespace chr = std::chrono;
using chr::hours;
using chr::minutes;

ZoneClock Clock(const std::string& name) { return *ZoneClock::Find(name); }

// The local time by the C library, which is independent of the date library.
std::tm LocalByLibc(const std::string& zone, Time time) {
  ::setenv("TZ", zone.c_str(), 1);
  ::tzset();
  const std::time_t seconds = chr::floor<chr::seconds>(time).time_since_epoch().count();
  std::tm local{};
  ::localtime_r(&seconds, &local);
  return local;
}

// A second implementation, for one window at a time, with the calendar of the C library.
bool InWindowByLibc(const RateWindow& window, Time time) {
  const auto counts = [&](const std::tm& day) {
    if ((window.weekdays >> day.tm_wday & 1) == 0) return false;
    if (!window.season) return true;
    const int date = (day.tm_mon + 1) * 100 + day.tm_mday;
    const auto number = [](chr::month_day d) {
      return static_cast<int>(unsigned(d.month()) * 100 + unsigned(d.day()));
    };
    const int from = number(window.season->from), to = number(window.season->to);
    return from <= to ? from <= date && date <= to : from <= date || date <= to;
  };
  const std::tm now = LocalByLibc(window.clock.name(), time);
  const int minute = now.tm_hour * 60 + now.tm_min;
  std::tm yesterday = now;
  yesterday.tm_mday -= 1;
  yesterday.tm_hour = 12;
  yesterday.tm_isdst = -1;
  std::mktime(&yesterday);
  if (window.begin_minute < window.end_minute)
    return counts(now) && window.begin_minute <= minute && minute < window.end_minute;
  return (counts(now) && minute >= window.begin_minute) ||
         (counts(yesterday) && minute < window.end_minute);
}

Tariff One(RateWindow window) {
  window.per_kwh = 0.3;
  window.off_peak_per_kwh = 0.1;
  return {{"EUR", "test"}, {std::move(window)}, {}, {}};
}

// Spans around each change of the clock in 2026 and the first of 2027, and plain days in summer.
std::vector<Interval> TryingTimes(const std::string& zone) {
  std::vector<Interval> spans;
  const ZoneClock clock = Clock(zone);
  for (Time at = *ParseTime("2026-01-01"); at < *ParseTime("2027-01-01");) {
    const OffsetSpan span = clock.SpanAt(at);
    spans.push_back({span.utc.end - hours{60}, span.utc.end + hours{60}});
    at = span.utc.end;
  }
  spans.push_back({*ParseTime("2026-06-28T05:37Z"), *ParseTime("2026-07-03")});
  return spans;
}

struct Case {
  const char* what;
  unsigned weekdays;
  int begin, end;
  std::optional<Season> season;
};

TEST(Tariff, IsTheLocalClockMinuteByMinuteThroughEveryChangeOfIt) {
  const Case cases[] = {
      {"afternoon of working days", 0x3e, 16 * 60, 21 * 60, {}},
      {"over night", 0x7f, 22 * 60, 6 * 60, {}},
      {"over night from Saturdays", 0x40, 23 * 60 + 30, 2 * 60 + 15, {}},
      {"inside the hour that is skipped or doubled", 0x7f, 60 + 45, 2 * 60 + 10, {}},
      {"whole Sundays", 0x01, 0, kMinutesOfDay, {}},
      {"winter nights", 0x7f, 20 * 60, 4 * 60, Season{chr::November / 1, chr::March / 31}},
      {"summer", 0x7f, 0, kMinutesOfDay, Season{chr::March / 29, chr::October / 25}},
  };
  for (const std::string zone :
       {"America/Los_Angeles", "Europe/Berlin", "Europe/London", "Australia/Lord_Howe"}) {
    const auto spans = TryingTimes(zone);
    ASSERT_GE(spans.size(), 3u) << zone;
    for (const Case& c : cases) {
      const RateWindow window{"w", Clock(zone), c.weekdays, c.begin, c.end, c.season, 0, {}};
      const Tariff tariff = One(window);
      for (const Interval& span : spans) {
        const core::PriceSeries prices = PricesOver(tariff, span);
        for (Time t = span.begin; t < span.end; t += minutes{1}) {
          const core::PriceSample* sample = prices.At(t);
          ASSERT_NE(sample, nullptr) << zone << " " << FormatTime(t);
          ASSERT_EQ(sample->per_kwh, InWindowByLibc(window, t) ? 0.3 : 0.1)
              << zone << ", " << c.what << ", " << FormatTime(t);
        }
      }
    }
  }
}

TEST(Tariff, DaysOfAChangeHaveAsManyPeakHoursAsTheClockShows) {
  // The window from 01:00 to 04:00 has 2 hours on the day of the change in March, 4 in October.
  const Tariff tariff = One({"w", Clock("Europe/Berlin"), 0x7f, 60, 240, {}, 0, {}});
  const auto peak_hours = [&](const char* begin, const char* end) {
    double sum = 0;
    const auto prices = PricesOver(tariff, {*ParseTime(begin), *ParseTime(end)});
    for (const auto& sample : prices.samples())
      if (sample.per_kwh == 0.3) sum += Hours(sample.interval.length());
    return sum;
  };
  EXPECT_EQ(peak_hours("2026-03-28T23:00Z", "2026-03-29T22:00Z"), 2);
  EXPECT_EQ(peak_hours("2026-10-24T22:00Z", "2026-10-25T23:00Z"), 4);
  EXPECT_EQ(peak_hours("2026-05-01T22:00Z", "2026-05-02T22:00Z"), 3);
}

TEST(Tariff, TheEndIsExcluded) {
  const Tariff tariff = One({"w", Clock("UTC"), 0x7f, 16 * 60, 21 * 60, {}, 0, {}});
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T16:00Z"))->per_kwh, 0.3);
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T20:59:59.999Z"))->per_kwh, 0.3);
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T21:00Z"))->per_kwh, 0.1);
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T15:59:59.999Z"))->per_kwh, 0.1);
}

TEST(Tariff, OnHolidaysNoWindowBeginsOrTheNamedWeekdayHolds) {
  Tariff tariff = One({"w", Clock("UTC"), 0x3e, 22 * 60, 6 * 60, {}, 0, {}});
  tariff.holidays = {{chr::year{2026}, chr::December / 25, {}},   // a Friday
                     {std::nullopt, chr::January / 1, 0},         // as a Sunday
                     {chr::year{2026}, chr::November / 28, 5u}};  // a Saturday as a Friday
  const auto at = [&](const char* time) { return RateAt(tariff, *ParseTime(time))->per_kwh; };
  EXPECT_EQ(at("2026-12-24T23:00Z"), 0.3);
  EXPECT_EQ(at("2026-12-25T05:00Z"), 0.3) << "the window of the evening before goes on";
  EXPECT_EQ(at("2026-12-25T23:00Z"), 0.1);
  EXPECT_EQ(at("2027-01-01T23:00Z"), 0.1);
  EXPECT_EQ(at("2026-01-01T23:00Z"), 0.1) << "every year";
  EXPECT_EQ(at("2026-11-28T23:00Z"), 0.3);
  EXPECT_EQ(at("2026-11-21T23:00Z"), 0.1) << "other Saturdays";
}

TEST(Tariff, TheFirstWindowHoldsWhereSeveralDo) {
  Tariff tariff = One({"first", Clock("UTC"), 0x7f, 16 * 60, 21 * 60, {}, 0, {}});
  tariff.windows.push_back({"second", Clock("UTC"), 0x7f, 12 * 60, 22 * 60, {}, 0.2, 0.05});
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T17:00Z"))->window->name, "first");
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T13:00Z"))->per_kwh, 0.2);
  EXPECT_EQ(RateAt(tariff, *ParseTime("2026-05-01T03:00Z"))->per_kwh, 0.1) << "the first's";
}

TEST(Tariff, TheOffPeakRateIsThatOfTheDaysScheduleThenOfTheSeasons) {
  Tariff tariff{{"EUR", "test"}, {}, {}, {}};
  const Season summer{chr::June / 1, chr::September / 30}, winter{chr::October / 1, chr::May / 31};
  tariff.windows = {{"summer", Clock("UTC"), 0x3e, 960, 1260, summer, 0.4, 0.12},
                    {"winter", Clock("UTC"), 0x3e, 960, 1260, winter, 0.3, 0.08},
                    {"winter Sundays", Clock("UTC"), 0x01, 960, 1260, winter, 0.2, 0.06}};
  const auto at = [&](const char* time) { return RateAt(tariff, *ParseTime(time))->per_kwh; };
  EXPECT_EQ(at("2026-07-01T03:00Z"), 0.12);
  EXPECT_EQ(at("2026-07-05T17:00Z"), 0.12) << "a Sunday in summer";
  EXPECT_EQ(at("2026-12-02T03:00Z"), 0.08);
  EXPECT_EQ(at("2026-12-06T03:00Z"), 0.06) << "a Sunday in winter";
  EXPECT_EQ(at("2026-12-05T03:00Z"), 0.08) << "a Saturday in winter: the season's first";
  tariff.flat_per_kwh = 0.5;
  EXPECT_EQ(at("2026-12-05T03:00Z"), 0.5);
}

TEST(Tariff, AFlatRateIsOneSample) {
  const Tariff tariff{{"EUR", "flat"}, {}, {}, 0.25};
  const Interval year{*ParseTime("2026-01-01"), *ParseTime("2027-01-01")};
  const core::PriceSeries prices = PricesOver(tariff, year);
  ASSERT_EQ(prices.samples().size(), 1u);
  EXPECT_EQ(prices.samples()[0].interval, year);
}

TEST(ZoneClock, AnUnknownZoneIsAnErrorWithASuggestion) {
  const auto clock = ZoneClock::Find("Europe/Berln");
  ASSERT_FALSE(clock);
  EXPECT_NE(clock.error().what.find("did you mean \"Europe/Berlin\""), std::string::npos)
      << clock.error().Message();
  EXPECT_FALSE(ZoneClock::Find(""));
  EXPECT_FALSE(ZoneClock::Find("../../etc/passwd"));
}

TEST(AsPublished, DayAheadPricesAreKnownFromTheEveOn) {
  std::vector<core::PriceSample> samples;
  const Time begin = *ParseTime("2026-03-28T00:00Z");
  for (int i = 0; i < 72; ++i)
    samples.push_back({{begin + hours{i}, begin + hours{i + 1}}, 0.01 * i});
  const auto series = *core::PriceSeries::Create({"EUR", "test"}, samples);
  const auto published = AsPublished(series, {Clock("Europe/Berlin"), hours{13}});
  // 28 March, 23:00 UTC is the 29th in Berlin: its price was published on the 28th at 13:00 CET.
  EXPECT_EQ(published.At(*ParseTime("2026-03-28T23:00Z"))->known_from,
            *ParseTime("2026-03-28T12:00Z"));
  EXPECT_EQ(published.At(*ParseTime("2026-03-28T22:00Z"))->known_from,
            *ParseTime("2026-03-27T12:00Z"));
  // The prices of the 30th were published on the 29th at 13:00 CEST.
  EXPECT_EQ(published.At(*ParseTime("2026-03-30T05:00Z"))->known_from,
            *ParseTime("2026-03-29T11:00Z"));
}

}  // namespace
}  // namespace ebb::prices
