#include "web/answers/sites_answer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "web/answers/status_answer.h"

namespace ebb::web {
namespace {

using nlohmann::json;
using std::chrono::hours;

const Time kNow = *ParseTime("2023-05-01T17:00");

// 300 g/kWh for a day, and 60 in its hour 5.
core::SignalView SignalWithACleanHour() {
  std::vector<core::Sample> ahead;
  for (int hour = 0; hour < 24; ++hour)
    ahead.push_back({{kNow + hours{hour}, kNow + hours{hour + 1}}, {hour == 5 ? 60.0 : 300.0}});
  core::SignalView view;
  view.now = kNow;
  view.known = *core::IntensitySeries::Create({.zone = "DE", .source = "test"}, {ahead.front()});
  view.forecast.series =
      *core::IntensitySeries::Create(view.known.identity(), {ahead.begin() + 1, ahead.end()});
  return view;
}

class SitesAnswerTest : public ::testing::Test {
 protected:
  SitesAnswerTest() {
    view_.now = kNow;
    view_.cluster.sites = {{"here", "DE", {1.2}}, {"norway", "NO-NO1", {1}}};
    view_.cluster.pools = {{"gpu", 0, 4, 1, 1, {}}, {"cpu", 1, 2, 1, 1, {}, 1}};
    view_.signals.resize(2);
    view_.signals[0].view = std::make_shared<core::SignalView>(SignalWithACleanHour());
    view_.signals[1].lost = "no answer";
  }
  void Runs(core::JobId id, int pool, std::vector<int> slots) {
    core::Submission submission;
    submission.job.id = id;
    submission.job.name = "job " + std::to_string(id);
    service::JobCard card;
    card.submission = std::make_shared<const core::Submission>(std::move(submission));
    view_.jobs.Put(std::move(card));
    view_.running.emplace_back();
    view_.running.back().job = id;
    view_.running.back().pool = pool;
    view_.running.back().slots = std::move(slots);
  }

  service::View view_;
};

TEST_F(SitesAnswerTest, TellsTheGridNowAndAhead) {
  const SitesAnswer answer = SitesOf(view_);
  ASSERT_EQ(answer.sites.size(), 2u);
  const SiteNow& here = answer.sites[0];
  ASSERT_TRUE(here.now && here.next_day && here.cleanest_hour);
  EXPECT_EQ(here.status, "measured");
  EXPECT_EQ(here.now->g_per_kwh, 300);
  EXPECT_NEAR(here.next_day->g_per_kwh, (23 * 300 + 60) / 24.0, 1e-9);
  EXPECT_EQ(here.cleanest_hour->start, kNow + hours{5});
  EXPECT_EQ(here.cleanest_hour->mean.g_per_kwh, 60);
}

TEST_F(SitesAnswerTest, AnUnknownGridIsLeftOutAndSaysWhy) {
  const json norway = json::parse(report::ToJson(SitesOf(view_)))["sites"][1];
  EXPECT_EQ(norway["site"], "norway");
  EXPECT_EQ(norway["zone"], "NO-NO1");
  EXPECT_EQ(norway["lost"], "no answer");
  for (const char* key : {"g_per_kwh", "next_24_hours_g_per_kwh", "cleanest_hour", "source"})
    EXPECT_FALSE(norway.contains(key)) << key;
}

TEST_F(SitesAnswerTest, CountsDevicesAndNamesWhatRuns) {
  Runs(7, 0, {0, 1});
  Runs(3, 0, {2});
  Runs(5, 1, {});  // its devices are not known: as many as the job is wide
  const SitesAnswer answer = SitesOf(view_);
  EXPECT_EQ(answer.sites[0].devices, 4);
  EXPECT_EQ(answer.sites[0].free, 1);
  ASSERT_EQ(answer.sites[0].jobs.size(), 2u);
  EXPECT_EQ(answer.sites[0].jobs[0].name, "job 3");
  EXPECT_EQ(answer.sites[1].free, 1);
  EXPECT_EQ(answer.sites[1].away, 1);
  EXPECT_EQ(answer.sites[1].jobs.front().id, 5);
}

TEST_F(SitesAnswerTest, StandsInTheStatusOfAServiceWithSeveralSites) {
  const json status = json::parse(ViewToJson(view_));
  ASSERT_TRUE(status.contains("sites"));
  EXPECT_EQ(status["sites"], json::parse(report::ToJson(SitesOf(view_)))["sites"]);
  view_.cluster.sites.pop_back();
  view_.cluster.pools.pop_back();
  EXPECT_FALSE(json::parse(ViewToJson(view_)).contains("sites"));
}

}  // namespace
}  // namespace ebb::web
