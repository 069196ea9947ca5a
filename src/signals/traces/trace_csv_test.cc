#include "signals/traces/trace_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

#include "testing/scratch_directory.h"
#include "testing/source_tree.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const Time kDay = *ParseTime("2023-05-01");

// Rows from 00:00 to 03:00 without 02:00.
constexpr const char* kSmall =
    "timestamp,carbon_intensity\n"
    "2023-05-01T00:00:00Z,100\n"
    "2023-05-01T01:00:00Z,200.5\n"
    "2023-05-01T03:00:00Z,300\n"
    "2023-05-01T04:00:00Z,310\n";

std::string SharedData(const std::string& path) { return ebb::SharedData() + "/carbon/" + path; }

TEST(TraceCsv, ReadsRowsAsHalfOpenIntervalsAndLeavesAMissingRowAsAGap) {
  const auto trace = ParseTrace(kSmall, "Z_test.csv");
  ASSERT_TRUE(trace) << trace.error().Message();
  EXPECT_EQ(trace->step, Duration{hours{1}});
  EXPECT_FALSE(trace->irregular);
  EXPECT_EQ(trace->series.samples().size(), 4u);
  EXPECT_EQ(trace->series.At(kDay + minutes{90})->intensity.g_per_kwh, 200.5);
  EXPECT_EQ(trace->series.At(kDay + hours{2}), nullptr);
  EXPECT_EQ(trace->series.span(), (Interval{kDay, kDay + hours{5}}));
}

TEST(TraceCsv, AnEmptyValueIsAGap) {
  const auto trace = ParseTrace(
      "timestamp,carbon_intensity\n2023-05-01T00:00Z,100\n2023-05-01T01:00Z,\n"
      "2023-05-01T02:00Z,50\n",
      "t.csv");
  ASSERT_TRUE(trace) << trace.error().Message();
  EXPECT_EQ(trace->series.samples().size(), 2u);
  EXPECT_EQ(trace->series.At(kDay + hours{1}), nullptr);
}

TEST(TraceCsv, AcceptsWhatIsHarmless) {
  const std::string small = kSmall;
  std::string crlf;
  for (const char c : small) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  const auto expected = ParseTrace(small, "t.csv");
  ASSERT_TRUE(expected);
  for (const std::string& text :
       {crlf, "\xef\xbb\xbf" + small, small + "\n\n\r\n", small.substr(0, small.size() - 1)}) {
    const auto trace = ParseTrace(text, "t.csv");
    ASSERT_TRUE(trace) << trace.error().Message();
    EXPECT_EQ(trace->series.samples(), expected->series.samples());
  }
}

TEST(TraceCsv, UnderstandsCommonNamesAndTimeSpellings) {
  for (const char* text : {
           "datetime,carbonIntensity\n2023-05-01 00:00,100\n2023-05-01 01:00,200\n",
           "\"Datetime (UTC)\",\"Carbon intensity gCO\u2082eq/kWh (Life cycle)\"\n"
           "2023-05-01T02:00:00+02:00,100\n2023-05-01T01:00:00.000Z,200\n",
           "time,note,carbon_intensity_kg_per_mwh\n2023-05-01T00:00Z,\"a, b\",100\n"
           "2023-05-01T01:00Z,,200\n",
       }) {
    const auto trace = ParseTrace(text, "t.csv");
    ASSERT_TRUE(trace) << trace.error().Message();
    EXPECT_EQ(trace->series.At(kDay)->intensity.g_per_kwh, 100);
    EXPECT_EQ(trace->series.At(kDay + hours{1})->intensity.g_per_kwh, 200);
  }
}

TEST(TraceCsv, TakesTheColumnOfTheWantedBoundaryAndElseLifeCycle) {
  const char* text =
      "Datetime (UTC),Carbon intensity gCO2eq/kWh (direct),Carbon intensity gCO2eq/kWh (LCA)\n"
      "2023-05-01T00:00Z,100,150\n2023-05-01T01:00Z,110,160\n";
  const auto lifecycle = ParseTrace(text, "t.csv");
  ASSERT_TRUE(lifecycle) << lifecycle.error().Message();
  EXPECT_EQ(lifecycle->series.At(kDay)->intensity.g_per_kwh, 150);
  EXPECT_EQ(lifecycle->series.identity().boundary, core::Boundary::kLifecycle);
  TraceOptions options;
  options.boundary = core::Boundary::kDirect;
  EXPECT_EQ(ParseTrace(text, "t.csv", options)->series.At(kDay)->intensity.g_per_kwh, 100);
}

TEST(TraceCsv, ReplaysItsOwnSignalFileWithEndsAndStatus) {
  const auto trace = ParseTrace(
      "timestamp,end,carbon_intensity,status\n"
      "2023-05-01T00:00:00Z,2023-05-01T00:20:00Z,100,measured\n"
      "2023-05-01T00:30:00Z,2023-05-01T01:30:00Z,200,modelled\n",
      "signal.csv");
  ASSERT_TRUE(trace) << trace.error().Message();
  EXPECT_EQ(trace->series.At(kDay + minutes{25}), nullptr);
  EXPECT_EQ(trace->series.At(kDay + minutes{80})->status, core::SampleStatus::kModelled);
}

TEST(TraceCsv, ReadingsAtNoFixedDistanceHoldUntilTheNextButNoLongerThanTheLimit) {
  const auto trace = ParseTrace(
      "timestamp,carbon_intensity\n2023-05-01T00:00:00Z,100\n2023-05-01T00:51:43Z,200\n"
      "2023-05-01T09:00:00Z,300\n2023-05-01T09:07:00Z,310\n",
      "t.csv");
  ASSERT_TRUE(trace) << trace.error().Message();
  EXPECT_TRUE(trace->irregular);
  EXPECT_EQ(trace->series.At(kDay + minutes{50})->intensity.g_per_kwh, 100);
  EXPECT_EQ(trace->series.At(kDay + minutes{51 + 120})->intensity.g_per_kwh, 200);
  EXPECT_EQ(trace->series.At(kDay + minutes{52 + 120}), nullptr);
}

TEST(TraceCsv, TheFileNameTellsZoneKindAndBoundary) {
  const auto caiso =
      IdentityFromFileName("/a/US-CAL-CISO_em-carbonx_2021-2023_hourly_lifecycle.csv.gz");
  EXPECT_EQ(caiso.zone, "US-CAL-CISO");
  EXPECT_EQ(caiso.boundary, core::Boundary::kLifecycle);
  EXPECT_EQ(caiso.source, "replay of US-CAL-CISO_em-carbonx_2021-2023_hourly_lifecycle.csv.gz");
  const auto marginal =
      IdentityFromFileName("CAISO_NORTH_watttime_2023-06_2023-07_5min_marginal.csv");
  EXPECT_EQ(marginal.zone, "CAISO_NORTH");
  EXPECT_EQ(marginal.kind, core::SignalKind::kMarginal);
  EXPECT_EQ(IdentityFromFileName("my_trace.csv").zone, "");
  EXPECT_EQ(IdentityFromFileName("signal.csv").zone, "");
}

TEST(TraceCsv, OptionsAndTheZoneColumnOverruleTheName) {
  const char* text =
      "zone,timestamp,carbon_intensity\nDE,2023-05-01T00:00Z,100\nFR,2023-05-01T00:00Z,20\n"
      "DE,2023-05-01T01:00Z,110\n";
  const auto ambiguous = ParseTrace(text, "X_y.csv");
  ASSERT_FALSE(ambiguous);
  EXPECT_THAT(ambiguous.error().Message(), HasSubstr("X_y.csv:3: holds zone \"FR\" beside \"DE\""));
  TraceOptions options;
  options.zone = "FR";
  const auto france = ParseTrace(text, "X_y.csv", options);
  ASSERT_TRUE(france) << france.error().Message();
  EXPECT_EQ(france->series.identity().zone, "FR");
  EXPECT_EQ(france->series.At(kDay)->intensity.g_per_kwh, 20);
}

TEST(TraceCsv, ReconstructedSeriesAreModelledAndEstimatesAreMarked) {
  const auto modelled = ParseTrace(kSmall, "Z_reconstructed_2025_hourly_lifecycle.csv");
  EXPECT_EQ(modelled->series.samples()[0].status, core::SampleStatus::kModelled);
  const auto estimated = ParseTrace(
      "timestamp,carbon_intensity,is_estimated\n2023-05-01T00:00Z,100,True\n"
      "2023-05-01T01:00Z,100,False\n",
      "t.csv");
  EXPECT_EQ(estimated->series.samples()[0].status, core::SampleStatus::kEstimated);
  EXPECT_EQ(estimated->series.samples()[1].status, core::SampleStatus::kMeasured);
}

TEST(TraceCsv, ForecastColumnsKnowWhenTheirValuesWereIssued) {
  const auto trace = ParseTrace(
      "timestamp,carbon_intensity,forecast_d1,forecast_d2,forecast_60min,forecast_latest\n"
      "2023-05-01T15:00Z,100,1,2,3,4\n2023-05-01T16:00Z,100,,2,3,4\n",
      "t.csv");
  ASSERT_TRUE(trace) << trace.error().Message();
  ASSERT_EQ(trace->forecasts.size(), 4u);
  const Time target = kDay + hours{15};
  EXPECT_EQ(trace->forecasts[0].IssuedAt(target), kDay);
  EXPECT_EQ(trace->forecasts[1].IssuedAt(target), kDay - days{1});
  EXPECT_EQ(trace->forecasts[2].IssuedAt(target), target - hours{1});
  EXPECT_EQ(trace->forecasts[3].issue, ForecastIssue::kUnknown);
  EXPECT_EQ(trace->forecasts[0].series.samples().size(), 1u);
}

struct BadTrace {
  const char* text;
  const char* message;  ///< part of the error
};

class TraceCsvRefuses : public ::testing::TestWithParam<BadTrace> {};

TEST_P(TraceCsvRefuses, NamingLineAndCause) {
  const auto trace = ParseTrace(GetParam().text, "bad.csv");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().Message(), HasSubstr(GetParam().message));
  EXPECT_THAT(trace.error().where, HasSubstr("bad.csv"));
  EXPECT_EQ(trace.error().code, ExitCode::kConfiguration);
}

#define HEADER "timestamp,carbon_intensity\n"
#define FIRST HEADER "2023-05-01T00:00Z,100\n"
INSTANTIATE_TEST_SUITE_P(
    BadFiles, TraceCsvRefuses,
    ::testing::Values(
        BadTrace{"", "empty"}, BadTrace{"\n \r\n", "empty"}, BadTrace{"\xef\xbb\xbf", "empty"},
        BadTrace{HEADER, "a header but no rows"},
        BadTrace{FIRST "2023-04-30T23:00Z,5\n", "bad.csv:3: rows are not in the order of time"},
        BadTrace{FIRST "2023-05-01T00:00Z,5\n",
                 "bad.csv:3: \"2023-05-01T00:00:00Z\" is given twice, "
                 "also in line 2"},
        BadTrace{FIRST "2023-05-01T01:00Z,-5\n", "bad.csv:3: intensity \"-5\" is negative"},
        BadTrace{FIRST "2023-05-01T01:00Z,nan\n", "bad.csv:3: \"nan\" is not a number"},
        BadTrace{FIRST "2023-05-01T01:00Z,inf\n", "bad.csv:3: \"inf\" is not a number"},
        BadTrace{FIRST "2023-05-01T01:00Z,many\n", "bad.csv:3: \"many\" is not a number"},
        BadTrace{FIRST "2023-05-01T01:00Z,99999\n", "bad.csv:3: intensity \"99999\" cannot be"},
        BadTrace{FIRST "2023-05-01T25:00Z,5\n", "bad.csv:3: \"2023-05-01T25:00Z\" is not a time"},
        BadTrace{FIRST "2023-02-30T01:00:00Z,5\n", "is not a time"},
        BadTrace{FIRST "2023-05-01T01\n", "bad.csv:3: has 1 columns, the header has 2"},
        BadTrace{HEADER "2023-05-01T00:00Z,\n", "has no value at all"},
        BadTrace{"timestamp,carbon_intensty\n2023-05-01T00:00Z,100\n",
                 "bad.csv:1: has no column for the value (\"carbon_intensity\"); is "
                 "\"carbon_intensty\" a misspelling of it?"},
        BadTrace{"timestmp,carbon_intensity\n", "is \"timestmp\" a misspelling of it?"},
        BadTrace{"2023-05-01T00:00Z,100\n", "the first line must name the columns"},
        BadTrace{"timestamp,carbon_intensity,carbon_intensity\n", "is given twice"},
        BadTrace{"timestamp,carbon_intensity,forecast_day1\n",
                 "column \"forecast_day1\" is not a known forecast (did you mean"},
        BadTrace{"timestamp,carbon_intensity_kg_per_kwh\n2023-05-01T00:00Z,0.2\n", "in kilograms"},
        BadTrace{"timestamp,moer_lbs_per_mwh\n2023-05-01T00:00Z,800\n", "in pounds"},
        BadTrace{HEADER "2023-05-01T00:00Z,0.2\n2023-05-01T01:00Z,0.3\n", "looks like kg/kWh"},
        BadTrace{HEADER "2023-05-01T00:00Z,3200\n2023-05-01T01:00Z,4200\n", "above 3000"},
        BadTrace{"timestamp,end,carbon_intensity\n2023-05-01T01:00Z,2023-05-01T01:00Z,5\n",
                 "bad.csv:2: the interval ends before it begins"},
        BadTrace{"timestamp,end,carbon_intensity\n2023-05-01T01:00Z,2023-05-01T03:00Z,5\n"
                 "2023-05-01T02:00Z,2023-05-01T03:00Z,5\n",
                 "bad.csv:3: begins before the interval of line 2 ends"},
        BadTrace{"timestamp,carbon_intensity,status\n2023-05-01T01:00Z,5,guessed\n",
                 "bad.csv:2: status \"guessed\" is unknown"}));

TEST(TraceCsv, TinyValuesAreFineWhereTheyCanBe) {
  const char* text = HEADER "2023-05-01T00:00Z,0.2\n2023-05-01T01:00Z,0.3\n";
  EXPECT_TRUE(ParseTrace(text, "NO_em_2023_hourly_direct.csv"));
  EXPECT_TRUE(ParseTrace(text, "NO_em_2023_hourly_marginal.csv"));
}

TEST(TraceCsv, ATruncatedGzipFileIsRefusedNotReadInPart) {
  const std::filesystem::path path = ScratchDirectory() / "truncated_test.csv.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  std::string text = HEADER;
  for (int hour = 0; hour < 500; ++hour)
    text += FormatTime(kDay + hours{hour}) + "," + std::to_string(100 + hour * 37 % 91) + "\n";
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  ASSERT_TRUE(LoadTrace(path));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto trace = LoadTrace(path);
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().Message(), HasSubstr("truncated"));
  std::filesystem::remove(path);
}

TEST(TraceCsv, AMissingFileIsNamed) {
  const auto trace = LoadTrace("/no/such/trace.csv");
  ASSERT_FALSE(trace);
  EXPECT_THAT(trace.error().Message(), HasSubstr("/no/such/trace.csv"));
}

TEST(NeedsSharedData, EveryTraceLoads) {
  if (!std::filesystem::is_directory(SharedData("")))
    GTEST_SKIP() << "no shared data at " << ebb::SharedData();
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(SharedData(""))) {
    if (!entry.is_regular_file()) continue;
    const auto trace = LoadTrace(entry.path());
    EXPECT_TRUE(trace) << trace.error().Message();
    ++count;
  }
  EXPECT_GT(count, 40);
}

TEST(NeedsSharedData, California2021To2023HasThePublishedMeanAndExtremes) {
  const std::string path =
      SharedData("lifecycle/US-CAL-CISO_em-carbonx_2021-2023_hourly_lifecycle.csv.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no shared data at " << ebb::SharedData();
  const auto trace = LoadTrace(path);
  ASSERT_TRUE(trace) << trace.error().Message();
  const auto& samples = trace->series.samples();
  EXPECT_EQ(samples.size(), 26280u);
  const auto mean = trace->series.Mean(trace->series.span());
  EXPECT_NEAR(mean->intensity.g_per_kwh, 265.6, 0.05);
  EXPECT_EQ(mean->coverage, 1);
  double low = 1e9, high = 0;
  for (const core::Sample& sample : samples) {
    low = std::min(low, sample.intensity.g_per_kwh);
    high = std::max(high, sample.intensity.g_per_kwh);
  }
  EXPECT_NEAR(low, 88.8, 0.05);
  EXPECT_NEAR(high, 454.4, 0.05);
}

}  // namespace
}  // namespace ebb::signals
