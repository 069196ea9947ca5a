#include "report/run/had_it_waited.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/signal/one_value.h"
#include "report/run/outlook_file.h"
#include "report/run/run_builder_for_test.h"
#include "report/run/summary.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::Not;

// Energy of 10 minutes at 1200 W.
constexpr double kKwh = 0.2;

// The hours of the builder's run, which began at 18 h, as they were known at its end: known up to
// its own hour, then expected.
core::SignalView OutlookOf(const core::RunRecord& run, Duration ahead = hours(26)) {
  core::SignalView view;
  view.now = run.attempts.back().grid.end;
  view.known = run.signal.Slice({run.attempts.front().grid.begin, kMidnight + hours(19)});
  std::vector<core::Sample> samples =
      run.signal.Slice({kMidnight + hours(19), view.now + ahead}).samples();
  for (core::Sample& sample : samples) sample.status = core::SampleStatus::kForecast;
  view.forecast.series = *core::IntensitySeries::Create(run.signal.identity(), samples);
  view.forecast.method = "typical day";
  view.forecast.issued = view.now;
  return view;
}

core::RunRecord RunWithOutlook(Duration ahead = hours(26)) {
  core::RunRecord run = RunBuilder{}.Build();
  run.spec.start_by = run.spec.submitted;
  run.outlook = OutlookOf(run, ahead);
  return run;
}

TEST(HadItWaited, TellsTheBestHourOfADayAndWhatItWouldHaveSaved) {
  const core::RunRecord run = RunWithOutlook();
  const auto waited = HadItWaitedOf(run);
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->up_to, hours(24));
  // 400 g at 18 h; the lowest until then is 120 g at 13 h of the next day.
  EXPECT_EQ(waited->start, kMidnight + hours(24 + 13));
  EXPECT_NEAR(waited->at_once.grams, kKwh * 400, 1e-9);
  EXPECT_NEAR(waited->at_best.grams, kKwh * 120, 1e-9);
  EXPECT_NEAR(*waited->SavingPercent(), 70, 1e-9);
  const std::string text = SummaryText(run, Summarise(run));
  EXPECT_THAT(text, HasSubstr("had it waited  up to 1d 0h: 70.0 % less at 2023-05-02T13:00:00Z; an "
                              "estimate by known hours and a forecast (typical day)"));
  EXPECT_THAT(text, Not(HasSubstr("best start"))) << "it could not start at another time";
}

TEST(HadItWaited, LooksNoFurtherThanHoursAreExpected) {
  const auto waited = HadItWaitedOf(RunWithOutlook(hours(3)));
  ASSERT_TRUE(waited);
  EXPECT_LE(waited->up_to, hours(3));
  EXPECT_GT(waited->up_to, hours(2));
}

TEST(HadItWaited, SaysThatThereIsNothingToGainWhereTheRunBeganAtTheBestHour) {
  core::RunRecord run = RunWithOutlook();
  std::vector<core::Sample> samples = run.outlook->forecast.series.samples();
  for (core::Sample& sample : samples) sample.intensity = Intensity{500};
  run.outlook->forecast.series = *core::IntensitySeries::Create(run.signal.identity(), samples);
  const auto waited = HadItWaitedOf(run);
  ASSERT_TRUE(waited);
  EXPECT_EQ(waited->start, kMidnight + hours(18));
  EXPECT_EQ(waited->at_best, waited->at_once) << "of the same start they are the same";
  EXPECT_THAT(HadItWaitedText(*waited), HasSubstr("nothing to gain"));
}

TEST(HadItWaited, IsSilentWhereNothingIsKnownOfLaterHours) {
  core::RunRecord run = RunWithOutlook();
  run.outlook->forecast.method = core::kOneValueForAllHours;
  EXPECT_FALSE(HadItWaitedOf(run)) << "the mean of a year has no hours";
  run = RunWithOutlook();
  run.outlook->forecast.series = {};
  EXPECT_FALSE(HadItWaitedOf(run));
  run = RunWithOutlook();
  run.outlook->known = {};
  EXPECT_FALSE(HadItWaitedOf(run)) << "its own hours are not known";
  EXPECT_FALSE(HadItWaitedOf(RunBuilder{}.Build()));
}

TEST(HadItWaited, TheOutlookIsReadAsItWasWritten) {
  const auto directory = ScratchDirectory("outlook");
  const core::RunRecord run = RunWithOutlook();
  EXPECT_FALSE(ReadOutlook(directory));
  ASSERT_TRUE(WriteOutlook(directory, *run.outlook, kMidnight));
  const auto read = ReadOutlook(directory);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->known.samples(), run.outlook->known.samples());
  EXPECT_EQ(read->forecast.series.samples(), run.outlook->forecast.series.samples());
  EXPECT_EQ(read->forecast.method, "typical day");
  EXPECT_EQ(read->forecast.issued, run.outlook->forecast.issued);
}

}  // namespace
}  // namespace ebb::report
