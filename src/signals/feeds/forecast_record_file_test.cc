#include "signals/feeds/forecast_record_file.h"

#include <gtest/gtest.h>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kBegin = *ParseTime("2026-05-06T00:07:12.345Z");

forecast::ForecastRecord Record() {
  forecast::ForecastRecord record;
  for (int i = 0; i < 5; ++i) {
    forecast::RecordedForecast forecast{kBegin + hours{14 * i}, kBegin + hours{14 * i - 1}, {}};
    for (int row = 0; row < 20; ++row) {
      const Time begin = std::chrono::floor<hours>(forecast.at) + row * minutes{30};
      forecast.rows.push_back(
          {{begin, begin + minutes{30}}, Intensity{100.1 + row}, core::SampleStatus::kForecast});
    }
    record.Add(std::move(forecast));
  }
  return record;
}

TEST(ForecastRecordFile, ComesBackAsItWas) {
  const auto back = ForecastRecordFromText(ToText(Record()), "x");
  ASSERT_TRUE(back) << back.error().Message();
  EXPECT_EQ(back->forecasts(), Record().forecasts());
}

TEST(ForecastRecordFile, ADamagedFileIsAnErrorThatNamesIt) {
  const std::string text = ToText(Record());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    const auto back = ForecastRecordFromText(text.substr(0, length), "record.json");
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().where, "record.json");
  }
  for (const auto& [good, bad] : {std::pair{"record/1", "record/2"},
                                  {"100.1", "-100.1"},
                                  {"1800.0", "1e300"},
                                  {"1800.0", "0"}}) {
    std::string other = text;
    ASSERT_NE(other.find(good), std::string::npos) << good;
    other.replace(other.find(good), std::string(good).size(), bad);
    EXPECT_FALSE(ForecastRecordFromText(other, "x")) << bad;
  }
}

TEST(ForecastRecordFile, WithoutAFileTheRecordIsEmpty) {
  const auto path = ForecastRecordPath(ScratchDirectory("record") / "em_DE_average.json");
  EXPECT_EQ(path.filename(), "em_DE_average_forecasts.json");
  const auto none = ReadForecastRecord(path);
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->empty());
  ASSERT_TRUE(platform::WriteFileAtomically(path, ToText(Record())));
  EXPECT_EQ(ReadForecastRecord(path)->forecasts(), Record().forecasts());
}

}  // namespace
}  // namespace ebb::signals
