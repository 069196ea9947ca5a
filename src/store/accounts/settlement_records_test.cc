#include "store/accounts/settlement_records.h"

#include <gtest/gtest.h>

#include "store/service_store.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::minutes;

const Time kNow = *ParseTime("2023-05-01");
const core::SignalIdentity kIdentity{"DE", core::SignalKind::kAverage, {}, "test", {}};

core::IntensitySeries Series(std::vector<core::Sample> samples) {
  return *core::IntensitySeries::Create(kIdentity, std::move(samples));
}

// A series with steps of two lengths, a gap, two statuses, and a value without a short decimal
// form.
core::IntensitySeries Published(double last) {
  const auto at = [](int minute) { return kNow + minutes{minute}; };
  return Series({{{at(0), at(30)}, {100.0 / 3}, core::SampleStatus::kMeasured},
                 {{at(30), at(60)}, {200}, core::SampleStatus::kMeasured},
                 {{at(60), at(90)}, {300}, core::SampleStatus::kEstimated},
                 {{at(120), at(125)}, {last}, core::SampleStatus::kEstimated}});
}

core::JobId AddAJob(ServiceStore& store) {
  core::Submission submission;
  submission.job = testing::AJob(0).Submitted(kNow);
  submission.command = {"true"};
  const core::JobId job = store.AddJob(submission)->id;
  EXPECT_TRUE(store.Commit());
  return job;
}

TEST(SettlementRecords, TheLastOneReadsBackExactlyAndGoesWithItsJob) {
  auto store = *ServiceStore::Open(ScratchDirectory("settlements") / "ebb.db");
  const core::JobId job = AddAJob(store);
  EXPECT_EQ(*FindSettlement(store.database(), job, kIdentity), std::nullopt);
  for (const double last : {400.0, 400.0, 450.5}) store.AddSettlement(job, kNow, Published(last));
  store.AddSettlement(77, kNow, Published(1));  // no such job
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(*FindSettlement(store.database(), job, kIdentity), Published(450.5));
  // An identical answer adds nothing.
  EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM settlements"), 2);
  ASSERT_TRUE(store.database().Run("DELETE FROM jobs WHERE id = ?", {job}));
  EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM settlements"), 0);
}

TEST(SettlementRecords, ADamagedOneIsSaidToBe) {
  auto store = *ServiceStore::Open(ScratchDirectory("settlements-damaged") / "ebb.db");
  const core::JobId job = AddAJob(store);
  store.AddSettlement(job, kNow, Published(1));
  ASSERT_TRUE(store.Commit());
  for (const char* text : {"x", "0 0 measured 1", "0 60000 guessed 1", "0 60000 measured x", ";",
                           "0 60000 measured 1;0 60000 measured 1"}) {
    ASSERT_TRUE(store.database().Run("UPDATE settlements SET signal = ?", {std::string(text)}));
    EXPECT_FALSE(FindSettlement(store.database(), job, kIdentity)) << text;
  }
}

TEST(SettlementRecords, TheValuesOfOtherSitesReadBackBySite) {
  auto store = *ServiceStore::Open(ScratchDirectory("settlements-sites") / "ebb.db");
  const core::JobId job = AddAJob(store);
  SettledSites sites;
  sites.sites.resize(2);
  sites.sites[0].name = "here";
  SettledSite& north = sites.sites[1];
  north.name = "north";
  north.zone = "NO";
  north.pue = Pue{1.3};
  north.attempts = {2, 3};
  north.allowed = true;
  north.first_move = {0, 1, kNow, minutes{2}, Energy::Joules(5), Energy::Joules(7)};
  north.signal = SettlementText(Published(7));
  sites.latest = kNow + minutes{9};
  sites.moves = {north.first_move};
  const std::string text = SettledSitesText(sites);
  EXPECT_EQ(SettledSitesText(*SettledSitesFrom(text)), text);
  EXPECT_FALSE(SettledSitesFrom("{\"sites\":1}"));
  for (const double last : {400.0, 400.0}) store.AddSettlement(job, kNow, Published(last), &sites);
  sites.figures = "{}";
  store.AddSettlement(job, kNow, Published(400), &sites);
  ASSERT_TRUE(store.Commit());
  EXPECT_EQ(**store.database().Integer("SELECT count(*) FROM settlements"), 2);
  const auto at = [&](const char* site) {
    return *FindSettlement(store.database(), job, kIdentity, site);
  };
  EXPECT_EQ(at("north"), Published(7));
  EXPECT_EQ(at("here"), Published(400));
  EXPECT_EQ(at(""), Published(400));
  EXPECT_EQ(at("south"), std::nullopt);
}

}  // namespace
}  // namespace ebb::store
