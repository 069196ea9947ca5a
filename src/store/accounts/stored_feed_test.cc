#include "store/accounts/stored_feed.h"

#include <gtest/gtest.h>

#include "store/service_store.h"
#include "testing/scratch_directory.h"

namespace ebb::store {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kNow = *ParseTime("2026-05-01T12:00Z");

core::IntensitySeries Hour(Time begin, double g_per_kwh, const std::string& zone = "Z") {
  return *core::IntensitySeries::Create(
      {zone, core::SignalKind::kMarginal, core::Boundary::kDirect, "a source"},
      {{{begin, begin + hours{1}}, {g_per_kwh}, core::SampleStatus::kEstimated}});
}

TEST(StoredFeed, ReadsWhatTheServiceHasHeardWhenItIsAsked) {
  const auto file = ScratchDirectory("feed") / "ebb.db";
  StoredFeed feed(file, kNow);
  EXPECT_FALSE(feed.Observe(kNow, {})) << "there is no store";
  EXPECT_TRUE(feed.Believed({kNow, kNow + hours{1}})->empty());
  auto store = *ServiceStore::Open(file);
  store.AddSignal(Hour(kNow, 100));
  ASSERT_TRUE(store.Commit());
  const auto view = feed.Observe(kNow + minutes{5}, {});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 100);
  EXPECT_EQ(feed.identity().kind, core::SignalKind::kMarginal);
  EXPECT_EQ(feed.NextChange(kNow + minutes{5}), kNow + hours{1});
  store.AddSignal(Hour(kNow + hours{1}, 200));
  ASSERT_TRUE(store.Commit());
  const Interval later{kNow + minutes{70}, kNow + minutes{71}};
  EXPECT_TRUE(feed.Believed(later)->empty()) << "it has not looked";
  EXPECT_GT(feed.NextChange(later.begin), later.begin);
  EXPECT_LT(feed.NextChange(later.begin), later.end);
  ASSERT_TRUE(feed.Observe(later.begin, {}));
  EXPECT_EQ(feed.Believed(later)->At(later.begin)->intensity.g_per_kwh, 200);
}

TEST(StoredFeed, ReadsTheValuesOfASiteFromAStoreOfSeveralZones) {
  const auto file = ScratchDirectory("feed") / "ebb.db";
  auto store = *ServiceStore::Open(file);
  store.SetMeta(kHomeZone, "Z");
  store.AddSignal(Hour(kNow, 100));
  store.AddSignal(Hour(kNow, 30, "NO"));
  store.AddSignal(Hour(kNow + hours{1}, 300, "FR"));
  ASSERT_TRUE(store.Commit());
  const auto says = [&](const std::string& zone) -> std::optional<double> {
    StoredFeed feed(file, kNow, zone);
    const auto view = *feed.Observe(kNow, {});
    return view.known.empty() ? std::nullopt : std::optional(view.Current()->intensity.g_per_kwh);
  };
  EXPECT_EQ(says(""), 100);
  EXPECT_EQ(says("Z"), 100);
  EXPECT_EQ(says("NO"), 30);
  EXPECT_EQ(says("SE"), std::nullopt);
}

}  // namespace
}  // namespace ebb::store
