#include "core/signal/sample_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb::core {
namespace {

using ::testing::ElementsAre;

const Time kBegin = *ParseTime("2026-05-06T00:00Z");

Sample Minutes(int from, int to, double value, SampleStatus status = SampleStatus::kMeasured) {
  using std::chrono::minutes;
  return {{kBegin + minutes{from}, kBegin + minutes{to}}, Intensity{value}, status};
}

TEST(SampleArchive, AMeasuredValueBeatsAnEstimateForTheSameHourWhateverCameFirst) {
  const Sample measured = Minutes(0, 60, 100);
  const Sample estimated = Minutes(0, 60, 200, SampleStatus::kEstimated);
  for (const auto& [first, second] :
       {std::pair(measured, estimated), std::pair(estimated, measured)}) {
    SampleArchive archive;
    archive.Add({first});
    archive.Add({second});
    EXPECT_THAT(archive.samples(), ElementsAre(measured));
  }
}

TEST(SampleArchive, AmongEqualsTheLaterAnswerWins) {
  SampleArchive archive;
  archive.Add({Minutes(0, 60, 100)});
  archive.Add({Minutes(0, 60, 90)});
  EXPECT_THAT(archive.samples(), ElementsAre(Minutes(0, 60, 90)));
}

TEST(SampleArchive, AnEstimateFillsOnlyWhatIsNotMeasured) {
  SampleArchive archive;
  archive.Add({Minutes(10, 20, 1), Minutes(30, 40, 2)});
  archive.Add({Minutes(0, 50, 9, SampleStatus::kEstimated)});
  EXPECT_THAT(archive.samples(),
              ElementsAre(Minutes(0, 10, 9, SampleStatus::kEstimated), Minutes(10, 20, 1),
                          Minutes(20, 30, 9, SampleStatus::kEstimated), Minutes(30, 40, 2),
                          Minutes(40, 50, 9, SampleStatus::kEstimated)));
  EXPECT_EQ(archive.measured_until(), kBegin + std::chrono::minutes{40});
}

TEST(SampleArchive, WhatReachesBeyondANewValueIsCut) {
  SampleArchive archive;
  archive.Add({Minutes(0, 60, 1)});
  archive.Add({Minutes(20, 30, 2)});
  EXPECT_THAT(archive.samples(),
              ElementsAre(Minutes(0, 20, 1), Minutes(20, 30, 2), Minutes(30, 60, 1)));
}

TEST(SampleArchive, IsASeriesWhateverItIsGiven) {
  Random random(7);
  SampleArchive archive;
  for (int i = 0; i < 2000; ++i) {
    const int from = static_cast<int>(random.Below(300));
    const auto status = random.Below(2) ? SampleStatus::kMeasured : SampleStatus::kEstimated;
    archive.Add({Minutes(from, from + 1 + static_cast<int>(random.Below(60)), 1, status)});
    ASSERT_TRUE(IntensitySeries::Create({}, archive.samples()));
  }
  archive.ForgetBefore(kBegin + std::chrono::hours{24});
  EXPECT_TRUE(archive.empty());
}

}  // namespace
}  // namespace ebb::core
