#include "web/notify/notices.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "testing/builders.h"

namespace ebb::web {
namespace {

using engine::Stage;
using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2026-03-01T12:00Z");

// Hourly values from a day before to a day after, 100 to 400 g/kWh; the current hour has its own
// value.
service::SiteSignalView SignalOf(Time now, std::optional<double> value) {
  std::vector<core::Sample> known, ahead;
  for (int hour = -24; hour < 24; ++hour) {
    const Time begin = kNow + hours{hour};
    const double usual = 100 + 300 * (hour + 24) / 47.0;
    const bool current = Interval{begin, begin + hours{1}}.contains(now);
    if (current && !value) continue;
    const core::Sample sample{{begin, begin + hours{1}}, {current ? *value : usual}};
    (begin <= now ? known : ahead).push_back(sample);
  }
  core::SignalView view;
  view.now = now;
  const core::SignalIdentity identity{"DE", core::SignalKind::kAverage, core::Boundary::kUnknown,
                                      "test"};
  view.known = *core::IntensitySeries::Create(identity, known);
  view.forecast.series = *core::IntensitySeries::Create(identity, ahead);
  return {std::make_shared<const core::SignalView>(std::move(view)), ""};
}

service::View ViewAt(Time now, std::optional<double> value = 300) {
  service::View view;
  view.now = now;
  view.cluster = {{{"here", "DE", Pue{2}}}, {{"cpu", 0, 4, 1, 1, Power{0}}}};
  view.signals = {SignalOf(now, value)};
  return view;
}

service::JobCard CardOf(core::JobId id, Stage stage) {
  core::Submission submission;
  submission.job = testing::AJob(id);
  service::JobCard card;
  card.submission = std::make_shared<const core::Submission>(std::move(submission));
  card.explanation.job = id;
  card.explanation.stage = stage;
  card.explanation.pool = 0;
  return card;
}

std::vector<std::string> Names(const std::vector<Notice>& notices) {
  std::vector<std::string> names;
  for (const Notice& notice : notices) names.emplace_back(Name(notice.event));
  return names;
}
using Told = std::vector<std::string>;

TEST(NoticeFinder, WhatIsThereAtFirstIsKnown) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow, 50);
  view.trouble = "disk full";
  view.jobs.Put(CardOf(1, Stage::kFailed));
  EXPECT_EQ(Names(finder.Look(view)), Told{});
  EXPECT_EQ(Names(finder.Look(view)), Told{});
}

TEST(NoticeFinder, AFailedJobIsToldOnce) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow);
  view.jobs.Put(CardOf(7, Stage::kRunning));
  finder.Look(view);
  service::JobCard failed = CardOf(7, Stage::kFailed);
  failed.exit_code = 3;
  view.jobs.Put(failed);
  const auto notices = finder.Look(view);
  ASSERT_EQ(Names(notices), Told{"job_failed"});
  EXPECT_EQ(notices[0].text, "job 7 (job-7) failed with exit code 3");
  EXPECT_EQ(notices[0].job, 7);
  EXPECT_EQ(Names(finder.Look(view)), Told{});
}

TEST(NoticeFinder, ARefusalThatNobodyWaitsForIsToldOnce) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow);
  view.events = {{1, kNow, 0, "nightly: its instance is refused: too late", true}};
  EXPECT_EQ(Names(finder.Look(view)), Told{}) << "known at first";
  view.events.push_back({2, kNow, 3, "waiting", false});
  view.events.push_back({3, kNow, 0, "nightly: its instance is refused: too wide", true});
  const auto notices = finder.Look(view);
  ASSERT_EQ(Names(notices), Told{"job_refused"});
  EXPECT_EQ(notices[0].text, "nightly: its instance is refused: too wide");
  EXPECT_EQ(Names(finder.Look(view)), Told{});
}

TEST(NoticeFinder, ALowCarbonWindowOpensOnceUntilItHasClosed) {
  NoticeFinder finder({{}, Intensity{150}});
  finder.Look(ViewAt(kNow, 300));
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, 150))), Told{"low_carbon"});
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, 155))), Told{}) << "it hovers";
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, 149))), Told{});
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, 160))), Told{});
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, 149))), Told{"low_carbon"});
}

TEST(NoticeFinder, TheLowestQuarterIsThatOfTheTwoDays) {
  const service::View view = ViewAt(kNow, 400);
  // The 48 values go from 100 to 400, and the 25th is replaced by 400, so the 12th is 100 + 300 x
  // 11 / 47.
  EXPECT_NEAR(LowestQuarter(*view.signals[0].view, kNow)->g_per_kwh, 100 + 300 * 11 / 47.0, 1e-9);
  EXPECT_FALSE(LowestQuarter({}, kNow));
  NoticeFinder finder({});
  finder.Look(view);
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, 101))), Told{"low_carbon"});
}

TEST(NoticeFinder, ASignalIsLostAndRegained) {
  NoticeFinder finder({});
  finder.Look(service::View{});
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow))), Told{}) << "the first value is no news";
  service::View lost = ViewAt(kNow);
  lost.signals[0].lost = "timeout";
  EXPECT_EQ(Names(finder.Look(lost)), Told{"signal_lost"});
  EXPECT_EQ(Names(finder.Look(lost)), Told{});
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow))), Told{"signal_regained"});
  EXPECT_EQ(Names(finder.Look(ViewAt(kNow, std::nullopt))), Told{"signal_lost"});
}

TEST(NoticeFinder, TroubleOfTheStore) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow);
  finder.Look(view);
  view.trouble = "cannot store anything: disk full";
  EXPECT_EQ(Names(finder.Look(view)), Told{"store_trouble"});
  view.trouble.clear();
  EXPECT_EQ(Names(finder.Look(view)), Told{"store_regained"});
}

TEST(NoticeFinder, AGpuIsLostAndRegained) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow);
  finder.Look(view);
  local::Device gpu;
  gpu.name = "GPU-a";
  view.devices = {gpu};
  EXPECT_EQ(Names(finder.Look(view)), Told{});
  view.devices[0].aside = local::SetAside{local::SetAside::By::kFault, "Xid 79", kNow, {}};
  EXPECT_EQ(Names(finder.Look(view)), Told{"device_lost"});
  EXPECT_EQ(Names(finder.Look(view)), Told{});
  view.devices[0].aside.reset();
  view.device_trouble = "the driver does not answer";
  EXPECT_EQ(Names(finder.Look(view)), (Told{"device_lost", "device_regained"}));
  view.device_trouble.clear();
  EXPECT_EQ(Names(finder.Look(view)), Told{"device_regained"});
}

TEST(NoticeFinder, ADeadlineAtRiskIsToldOncePerJob) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow);
  service::JobCard card = CardOf(1, Stage::kWaiting);
  card.explanation.reason.latest = kNow + hours{1};
  card.explanation.reason.start = kNow + hours{1};
  view.jobs.Put(card);
  finder.Look(view);
  EXPECT_EQ(Names(finder.Look(view)), Told{}) << "at the last moment is in time";
  card.explanation.reason.start = kNow + hours{2};
  view.jobs.Put(card);
  EXPECT_EQ(Names(finder.Look(view)), Told{"deadline_at_risk"});
  EXPECT_EQ(Names(finder.Look(view)), Told{});
  service::JobCard running = CardOf(2, Stage::kRunning);
  core::Submission submission = *running.submission;
  submission.job.finish_by = kNow + hours{3};
  running.submission = std::make_shared<const core::Submission>(submission);
  running.explanation.reason.end = kNow + hours{4};
  view.jobs.Put(running);
  EXPECT_EQ(Names(finder.Look(view)), Told{"deadline_at_risk"});
}

TEST(NoticeFinder, ABudgetAtEightyAndAHundredPerCentOfTheFacilitysEnergy) {
  NoticeFinder finder({});
  service::View view = ViewAt(kNow);
  service::JobCard card = CardOf(1, Stage::kRunning);
  core::Submission submission = *card.submission;
  submission.budget.energy = Energy::Joules(2 * 3.6e6);
  card.submission = std::make_shared<const core::Submission>(submission);
  view.jobs.Put(card);
  finder.Look(view);
  std::string said;
  const auto used = [&](double kwh) {
    card.energy = Energy::Joules(kwh * 3.6e6);
    view.jobs.Put(card);
    const auto notices = finder.Look(view);
    if (!notices.empty()) said = notices.back().text;
    return Names(notices);
  };
  EXPECT_EQ(used(0.79), Told{}) << "1.58 kWh of the facility";
  EXPECT_EQ(used(0.81), Told{"budget"});
  EXPECT_TRUE(said.ends_with("has used 81 % of its budget: 1.62 kWh of 2.00 kWh")) << said;
  EXPECT_EQ(used(0.9), Told{});
  EXPECT_EQ(used(1.01), Told{"budget"});
  EXPECT_EQ(used(1.5), Told{});
}

TEST(NoticeFinder, OnlyWhatIsWanted) {
  NoticeFinder finder({{NoticeEvent::kStoreTrouble}, {}});
  service::View view = ViewAt(kNow);
  finder.Look(view);
  view.jobs.Put(CardOf(1, Stage::kFailed));
  view.trouble = "disk full";
  EXPECT_EQ(Names(finder.Look(view)), Told{"store_trouble"});
}

TEST(Notice, IsJsonWhateverANameHolds) {
  Notice notice{NoticeEvent::kJobFailed, kNow, "job \"\xff\n", 3, "\xff", "", Intensity{12}};
  const auto read = nlohmann::json::parse(ToJson(notice, "host"));
  EXPECT_EQ(read["event"], "job_failed");
  EXPECT_EQ(read["job"]["id"], 3);
  EXPECT_EQ(read["at"], "2026-03-01T12:00:00Z");
  EXPECT_FALSE(read.contains("zone"));
}

TEST(NoticeEvent, EachHasAName) {
  for (const std::string& name : NoticeEventNames())
    EXPECT_EQ(Name(*NoticeEventFromName(name)), name);
  EXPECT_FALSE(NoticeEventFromName("job_faild"));
}

}  // namespace
}  // namespace ebb::web
