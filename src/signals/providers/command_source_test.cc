#include "signals/providers/command_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Time kNow = *ParseTime("2026-05-06T12:10Z");

Result<Payload> Parse(std::string_view output) {
  return ParseCommandRows(output, core::Boundary::kLifecycle, "my-source");
}

TEST(CommandRows, OfCsvAndOfJsonLinesAreTheSame) {
  const auto csv = Parse(
      "time,g_per_kwh,status\n2026-05-06T12:00Z,312.5,measured\n2026-05-06T13:00Z,,\n"
      "2026-05-06T14:00Z,298,forecast\n");
  const auto json = Parse(
      "{\"time\": \"2026-05-06T12:00Z\", \"g_per_kwh\": 312.5}\n"
      "{\"time\": \"2026-05-06T13:00Z\", \"g_per_kwh\": null}\n\n"
      "{\"time\": \"2026-05-06T14:00Z\", \"g_per_kwh\": 298, \"status\": \"forecast\"}\n");
  ASSERT_TRUE(csv) << csv.error().Message();
  ASSERT_TRUE(json) << json.error().Message();
  EXPECT_EQ(csv->samples, json->samples);
  ASSERT_EQ(csv->samples.size(), 2u) << "what is not known is a gap";
  EXPECT_EQ(csv->samples[0].intensity.g_per_kwh, 312.5);
  EXPECT_EQ(csv->samples[1].status, core::SampleStatus::kForecast);
}

TEST(CommandRows, HaveTimesAsSecondsOrMillisecondsToo) {
  const Time begin = *ParseTime("2027-01-15T08:00Z");  // in seconds: 1.8e+09
  for (const char* output : {"time,g_per_kwh\n1800000000,3\n", "time,g_per_kwh\n1800000000000,3\n",
                             "{\"time\": 1800000000, \"g_per_kwh\": 3}",
                             "{\"time\": \"1800000000\", \"g_per_kwh\": \"3\"}"}) {
    const auto rows = Parse(output);
    ASSERT_TRUE(rows) << rows.error().Message();
    EXPECT_EQ(rows->samples.at(0).interval.begin, begin) << output;
  }
}

TEST(CommandRows, OfFuelsAreTheMeanOfTheirFactors) {
  const auto mix = Parse(
      "time,fuel,mw\n2026-05-06T12:00Z,gas,50\n2026-05-06T12:00Z,Wind,50\n"
      "2026-05-06T12:15Z,gas,0\n2026-05-06T12:15Z,Wind,100\n");
  ASSERT_TRUE(mix) << mix.error().Message();
  ASSERT_EQ(mix->samples.size(), 2u);
  const double both = mix->samples[0].intensity.g_per_kwh;
  const double wind = mix->samples[1].intensity.g_per_kwh;
  EXPECT_GT(both, 10 * wind);
  EXPECT_EQ(mix->samples[0].interval.length(), Duration{std::chrono::minutes{15}});
}

TEST(CommandRows, AreRefusedWithTheirLine) {
  for (const auto& [output, why] : std::vector<std::pair<const char*, const char*>>{
           {"", "no rows"},
           {"Traceback (most recent call last):\n", "is not a column"},
           {"time,g_per_kwh\nyesterday,300\n", "line 2: \"yesterday\" is not a time"},
           {"time,g_per_kwh\n2026-05-06,many\n", "is not a number of g/kWh"},
           {"time,g_per_kwh\n2026-05-06,nan\n", "is not a number of g/kWh"},
           {"time,g_per_kwh\n2026-05-06\n", "1 fields instead of 2"},
           {"time,g_per_kwh,status\n2026-05-06,3,guessed\n", "\"guessed\" is not measured"},
           {"time,g_per_kwh\n2026-05-06,-3\n", "-3"},
           {"{\"time\": \"2026-05-06\", \"g_per_kwh\": [1]}", "neither a text nor a number"},
           {"time,g_per_kwh,fuel,mw\n2026-05-06,3,,\n2026-05-06T01:00Z,,gas,3\n",
            "others a fuel"}}) {
    const auto rows = Parse(output);
    ASSERT_FALSE(rows) << output;
    EXPECT_THAT(rows.error().Message(), HasSubstr(why));
    EXPECT_THAT(rows.error().Message(), HasSubstr("my-source"));
  }
}

TEST(CommandSource, TellsItsProgramWhatIsWantedAndKeepsExpectationsApart) {
  std::vector<std::pair<std::string, std::string>> told;
  const auto source = MakeCommandSource(
      {WordsOfCommand("  my-source --zone  XX "), {"XX", core::SignalKind::kAverage, {}, ""}},
      [&](const auto& words, const auto& environment) -> Result<std::string> {
        EXPECT_THAT(words, ElementsAre("my-source", "--zone", "XX"));
        told = environment;
        return std::string(
            "time,g_per_kwh,status\n2026-05-06T12:00Z,312,\n"
            "2026-05-06T13:00Z,200,forecast\n");
      });
  const auto reading = source->Read({kNow, Duration{}, *ParseTime("2026-05-06T11:00Z"), true});
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_THAT(told,
              ElementsAre(std::pair<std::string, std::string>("EBB_SINCE", "2026-05-06T11:00:00Z"),
                          std::pair<std::string, std::string>("EBB_ZONE", "XX")));
  EXPECT_EQ(reading->known.size(), 1u);
  EXPECT_EQ(reading->forecast.size(), 1u);
}

TEST(CommandSource, AMeasuredValueOfTheFutureIsRefused) {
  const auto source =
      MakeCommandSource({{"my-source"}, {"XX", core::SignalKind::kAverage, {}, ""}},
                        [](const auto&, const auto&) -> Result<std::string> {
                          return std::string("time,g_per_kwh\n2026-05-06T15:00Z,1\n");
                        });
  const auto reading = source->Read({kNow, Duration{}, Time{}, true});
  ASSERT_FALSE(reading);
  EXPECT_THAT(reading.error().Message(), HasSubstr("is said to be known"));
}

// No shell: a second command would only be another word.
TEST(CommandSource, AProgramIsStartedWithoutAShellAndFailsLoudly) {
  const auto file = ScratchDirectory() / "rows";
  ASSERT_TRUE(platform::WriteFileAtomically(file, "time,g_per_kwh\n2026-05-06T12:00Z,312\n"));
  const auto read = [](const std::string& command) {
    return MakeCommandSource({WordsOfCommand(command), {"XX", core::SignalKind::kAverage, {}, ""}},
                             RunSourceProgram)
        ->Read({kNow, Duration{}, Time{}, true});
  };
  const auto reading = read("cat " + file.string());
  ASSERT_TRUE(reading) << reading.error().Message();
  EXPECT_EQ(reading->known.size(), 1u);
  EXPECT_FALSE(read("cat " + file.string() + "; true"));
  EXPECT_THAT(read("false").error().Message(), HasSubstr("false"));
  EXPECT_THAT(read("no-such-program-of-ours").error().Message(), HasSubstr("not found"));
}

}  // namespace
}  // namespace ebb::signals
