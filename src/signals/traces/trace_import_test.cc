#include "signals/traces/trace_import.h"

#include <gmock/gmock.h>

#include "signals/traces/trace_csv.h"

namespace ebb::signals {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Headings of the portal now, and until 2024.
constexpr const char* kHeader =
    "Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),"
    "Carbon intensity gCO₂eq/kWh (Life cycle),Carbon-free energy percentage (CFE%),"
    "Renewable energy percentage (RE%),Data source,Data estimated,Data estimation method\n";
constexpr const char* kOldHeader =
    "Datetime (UTC),Country,Zone Name,Zone Id,Carbon Intensity gCO₂eq/kWh (direct),"
    "Carbon Intensity gCO₂eq/kWh (LCA),Low Carbon Percentage,Renewable Percentage,Data Source,"
    "Data Estimated,Data Estimation Method\n";

std::string Row(const std::string& time, double direct, double lifecycle,
                const std::string& estimated = "false,") {
  return time + ",Germany,Germany,DE," + std::to_string(direct) + "," + std::to_string(lifecycle) +
         ",55.2,48.1,\"entsoe.eu, api\"," + estimated + "\n";
}

// Makes `count` rows from `begin` on, `step` apart; direct 100, 101, ..., life cycle 60 more.
std::string Rows(const std::string& begin, Duration step, int count, int first = 0) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    std::string time = FormatTime(*ParseTime(begin) + i * step).substr(0, 19);
    time[10] = ' ';
    text += Row(time, 100 + first + i, 160 + first + i);
  }
  return text;
}

TraceImport Import(const std::vector<ImportFile>& files, const ImportOptions& options = {}) {
  auto import = ImportTraces(files, options);
  EXPECT_TRUE(import) << import.error().Message();
  return import ? *std::move(import) : TraceImport{};
}

std::string ErrorOf(const std::vector<ImportFile>& files, const ImportOptions& options = {}) {
  const auto import = ImportTraces(files, options);
  EXPECT_FALSE(import);
  return import ? "" : import.error().Message();
}

const ImportFile kFirst{"DE_2023_hourly.csv", kOldHeader + Rows("2023-12-31T20:00Z", hours{1}, 4)};
const ImportFile kSecond{"DE_2024_hourly.csv", kHeader + Rows("2024-01-01T00:00Z", hours{1}, 3, 4)};

TEST(TraceImport, JoinsThePortalsFilesOfOldAndNewHeadingsInTheOrderOfTime) {
  const TraceImport import = Import({kSecond, kFirst});
  EXPECT_EQ(import.identity.zone, "DE");
  EXPECT_EQ(import.identity.boundary, core::Boundary::kLifecycle);
  EXPECT_EQ(StepName(import), "hourly");
  ASSERT_THAT(import.samples, SizeIs(7));
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_EQ(import.samples[i].intensity.g_per_kwh, 160 + static_cast<double>(i));
  EXPECT_THAT(import.gaps, IsEmpty());
  EXPECT_EQ(import.parts[0].path, kFirst.path);
  EXPECT_EQ(import.parts[0].rows, 4u);
  EXPECT_EQ(TraceFileName(import), "DE_imported_2023-12-31_2024-01-01_hourly_lifecycle.csv");
}

TEST(TraceImport, TakesTheWantedBoundaryAndRefusesAFileThatLacksIt) {
  EXPECT_EQ(Import({kFirst}, {core::Boundary::kDirect, {}, {}}).samples[0].intensity.g_per_kwh,
            100);
  const ImportFile direct{"DE.csv",
                          "Datetime (UTC),Zone id,Carbon intensity gCO₂eq/kWh (direct)\n"
                          "2024-01-01 00:00:00,DE,100\n2024-01-01 01:00:00,DE,100\n"};
  EXPECT_THAT(ErrorOf({direct}, {core::Boundary::kLifecycle, {}, {}}),
              HasSubstr("--boundary direct takes it"));
  EXPECT_EQ(Import({direct}).identity.boundary, core::Boundary::kDirect);
  const ImportFile unknown{"DE.csv", "datetime_utc,value\n2024-01-01,100\n2024-01-02,90\n"};
  EXPECT_THAT(ErrorOf({unknown}), HasSubstr("life-cycle or direct"));
  EXPECT_THAT(ErrorOf({{"DE_x_direct.csv", unknown.text}}, {core::Boundary::kLifecycle, {}, {}}),
              HasSubstr("is direct"));
}

TEST(TraceImport, AMissingRowAndAnEmptyValueAreGaps) {
  const std::string text = kHeader + Rows("2024-01-01T00:00Z", hours{1}, 2) +
                           "2024-01-01 02:00:00,Germany,Germany,DE,,,,,x,false,\n" +
                           Rows("2024-01-01T05:00Z", hours{1}, 3);
  const TraceImport import = Import({{"DE.csv", text}});
  const Time day = *ParseTime("2024-01-01");
  EXPECT_THAT(import.gaps, ElementsAre(Interval{day + hours{2}, day + hours{5}}));
  const auto trace = ParseTrace(TraceCsv(import), TraceFileName(import));
  ASSERT_TRUE(trace) << trace.error().Message();
  EXPECT_EQ(trace->series.At(day + hours{3}), nullptr);
  EXPECT_THAT(import.notes, IsEmpty());
}

TEST(TraceImport, EstimatedValuesStayEstimated) {
  const TraceImport import =
      Import({{"DE.csv", kHeader + Row("2024-01-01 00:00:00", 1, 90) +
                             Row("2024-01-01 01:00:00", 1, 91, "True,TSA")}});
  EXPECT_EQ(import.estimated, 1u);
  const auto trace = ParseTrace(TraceCsv(import), TraceFileName(import));
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series.samples()[0].status, core::SampleStatus::kMeasured);
  EXPECT_EQ(trace->series.samples()[1].status, core::SampleStatus::kEstimated);
}

TEST(TraceImport, RowsThatTwoFilesShareCountOnceAndMayNotDiffer) {
  const ImportFile overlapping{"b.csv", kHeader + Rows("2023-12-31T22:00Z", hours{1}, 4, 2)};
  const TraceImport import = Import({kFirst, overlapping});
  EXPECT_EQ(import.repeated, 2u);
  EXPECT_THAT(import.samples, SizeIs(6));
  const ImportFile differing{"b.csv", kHeader + Rows("2023-12-31T22:00Z", hours{1}, 4, 3)};
  EXPECT_THAT(
      ErrorOf({kFirst, differing}),
      HasSubstr("b.csv: says 163 g/kWh for \"2023-12-31T22:00:00Z\", another file says 162"));
}

TEST(TraceImport, RefusesDisorderAndRepetitionInAFileWithItsLine) {
  const std::string rows = Rows("2024-01-01T00:00Z", hours{1}, 2);
  EXPECT_THAT(ErrorOf({{"DE.csv", kHeader + rows + rows}}), HasSubstr("DE.csv:4"));
  EXPECT_THAT(ErrorOf({{"DE.csv", kHeader + rows + Row("2024-01-01 01:00:00", 1, 2)}}),
              HasSubstr("is given twice"));
}

TEST(TraceImport, RefusesTimesThatMayBeLocal) {
  const std::string local = "Datetime,Zone id,Carbon intensity gCO₂eq/kWh (Life cycle)\n";
  const ImportFile file{"DE.csv", local + "2024-01-01 00:00:00,DE,100\n2024-01-01 01:00,DE,90\n"};
  EXPECT_THAT(ErrorOf({file}), HasSubstr("--utc if they are UTC"));
  ImportOptions utc;
  utc.times_are_utc = true;
  EXPECT_THAT(Import({file}, utc).samples, SizeIs(2));
  EXPECT_THAT(Import({{"DE.csv", local + "2024-01-01T00:00+01:00,DE,100\n"
                                         "2024-01-01T01:00+01:00,DE,90\n"}})
                  .samples,
              SizeIs(2));
}

TEST(TraceImport, NotesAMissingHourWhereClocksGoForward) {
  const TraceImport import = Import({{"DE.csv", kHeader + Rows("2024-03-30T23:00Z", hours{1}, 3) +
                                                    Rows("2024-03-31T03:00Z", hours{1}, 3)}});
  ASSERT_THAT(import.notes, SizeIs(1));
  EXPECT_THAT(import.notes[0], HasSubstr("2024-03-31T02:00:00Z"));
}

TEST(TraceImport, RefusesWrongUnits) {
  EXPECT_THAT(ErrorOf({{"DE.csv",
                        "Datetime (UTC),Zone id,Carbon intensity kgCO₂eq/kWh (direct)\n"
                        "2024-01-01 00:00:00,DE,0.1\n"}}),
              HasSubstr("kilograms"));
}

TEST(TraceImport, KnowsEveryStepOfThePortal) {
  const auto import = [](Duration step) {
    return Import({{"DE.csv", kHeader + Rows("2024-01-01T00:00Z", step, 5)}});
  };
  EXPECT_EQ(StepName(import(minutes{5})), "5-minute");
  EXPECT_EQ(StepName(import(minutes{15})), "15-minute");
  EXPECT_EQ(StepName(import(hours{1})), "hourly");
  EXPECT_EQ(StepName(import(days{1})), "daily");
  EXPECT_EQ(TraceFileName(Import({{"DE.csv", kHeader + Rows("2024-01-01T00:00Z", days{1}, 366)}})),
            "DE_imported_2024_daily_lifecycle.csv");
}

TEST(TraceImport, MonthsAndYearsSayWhereTheyEnd) {
  std::string months = kHeader;
  for (const char* month : {"01", "02", "03", "04", "06"})
    months += Row(std::string("2024-") + month + "-01 00:00:00", 1, 90);
  const TraceImport monthly = Import({{"DE.csv", months}});
  EXPECT_EQ(StepName(monthly), "monthly");
  EXPECT_THAT(monthly.gaps,
              ElementsAre(Interval{*ParseTime("2024-05-01"), *ParseTime("2024-06-01")}));
  const auto trace = ParseTrace(TraceCsv(monthly), TraceFileName(monthly));
  ASSERT_TRUE(trace) << trace.error().Message();
  EXPECT_NE(trace->series.At(*ParseTime("2024-02-29T23:00Z")), nullptr);
  EXPECT_EQ(trace->series.At(*ParseTime("2024-05-15")), nullptr);
  EXPECT_EQ(trace->series.span().end, *ParseTime("2024-07-01"));
  const TraceImport yearly =
      Import({{"DE_2024_yearly.csv", kHeader + Row("2024-01-01 00:00:00", 1, 90)},
              {"DE_2023_yearly.csv", kHeader + Row("2023-01-01 00:00:00", 1, 80)}});
  EXPECT_EQ(TraceFileName(yearly), "DE_imported_2023-2024_yearly_lifecycle.csv");
}

TEST(TraceImport, RefusesOneRowWhoseLengthNothingTells) {
  EXPECT_THAT(ErrorOf({{"DE.csv", kHeader + Row("2024-01-01 00:00:00", 1, 90)}}),
              HasSubstr("at least two rows"));
}

TEST(TraceImport, RefusesFilesOfDifferentZonesBoundariesOrSteps) {
  const ImportFile daily{"b.csv", kHeader + Rows("2024-02-01T00:00Z", days{1}, 3)};
  EXPECT_THAT(ErrorOf({kFirst, daily}), HasSubstr("one every 1h"));
  const ImportFile france{"FR.csv",
                          "Datetime (UTC),Zone id,Carbon intensity gCO₂eq/kWh (Life cycle)\n"
                          "2024-01-01 00:00:00,FR,10\n2024-01-01 01:00:00,FR,11\n"};
  EXPECT_THAT(ErrorOf({kFirst, france}), HasSubstr("holds zone \"FR\""));
}

TEST(TraceImport, ReadsSemicolonsDecimalCommasAndSecondsSince1970) {
  const std::string text =
      "timestamp;carbon_intensity\n"
      "1704067200;369,5\n"
      "1704070800;371\n"
      "1704074400000;12.25\n";
  ImportOptions options;
  options.zone = "DE";
  options.boundary = core::Boundary::kLifecycle;
  const TraceImport import = Import({{"export.csv", text}}, options);
  ASSERT_THAT(import.samples, SizeIs(3));
  EXPECT_EQ(import.samples[0].interval.begin, *ParseTime("2024-01-01T00:00Z"));
  EXPECT_EQ(import.samples[0].intensity.g_per_kwh, 369.5);
  EXPECT_EQ(import.samples[2].interval.begin, *ParseTime("2024-01-01T02:00Z"));
  EXPECT_EQ(import.samples[2].intensity.g_per_kwh, 12.25);
  EXPECT_THAT(
      ErrorOf({{"export.csv", "timestamp;carbon_intensity\n1704067200;1.369,5\n"}}, options),
      HasSubstr("\"1.369,5\" is not a number"));
  EXPECT_THAT(ErrorOf({{"export.csv", "when;carbon_intensity\n1704067200;369,5\n"}}, options),
              HasSubstr("its columns are \"when\", \"carbon_intensity\""));
  options.times_are_utc = true;
  EXPECT_THAT(ErrorOf({{"export.csv", "timestamp,carbon_intensity\n1704067,369\n"}}, options),
              HasSubstr("\"1704067\" is not a time"))
      << "too few digits for a time since 1970";
}

TEST(TraceImport, TakesAnyColumnByItsHeading) {
  const ImportFile readings{"out.csv",
                            "job,timestamp_utc,norway_gco2_kwh,ohio_gco2_kwh\n"
                            "1,2025-12-15T23:29:53,37,581\n2,2025-12-16T00:21:36,36,580\n"
                            "3,2025-12-16T03:06:49,35,576\n4,2025-12-16T05:52:14,36,572\n"};
  const TraceImport import =
      Import({readings}, {core::Boundary::kLifecycle, "NO", "norway_gco2_kwh"});
  EXPECT_EQ(import.identity.zone, "NO");
  EXPECT_EQ(StepName(import), "readings");
  EXPECT_EQ(import.samples[2].intensity.g_per_kwh, 35);
  EXPECT_THAT(ErrorOf({readings}, {core::Boundary::kLifecycle, {}, "norway_gco2_kwh"}),
              HasSubstr("--zone"));
  EXPECT_THAT(ErrorOf({readings}, {core::Boundary::kLifecycle, "NO", "norge"}),
              HasSubstr("\"norge\""));
}

}  // namespace
}  // namespace ebb::signals
