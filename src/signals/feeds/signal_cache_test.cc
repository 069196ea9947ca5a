#include "signals/feeds/signal_cache.h"

#include <gtest/gtest.h>

namespace ebb::signals {
namespace {

const Time kBegin = *ParseTime("2026-05-06T00:00Z");

CachedSignal Cached() {
  using std::chrono::hours;
  CachedSignal cached;
  cached.provider = "electricity-maps";
  cached.identity = {"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle, "src"};
  cached.answered_at = kBegin + std::chrono::minutes{5};
  cached.known = {{{kBegin, kBegin + hours{1}}, Intensity{212.5}, core::SampleStatus::kMeasured}};
  cached.issued = kBegin;
  cached.forecast = {
      {{kBegin + hours{1}, kBegin + hours{2}}, Intensity{0.1}, core::SampleStatus::kForecast}};
  cached.refused = {kBegin + hours{3}, "not in your plan", "https://x", "another plan"};
  return cached;
}

TEST(SignalCache, ComesBackAsItWas) {
  const auto back = CachedSignalFromText(ToText(Cached()), "x");
  ASSERT_TRUE(back) << back.error().Message();
  EXPECT_EQ(back->identity, Cached().identity);
  EXPECT_EQ(back->answered_at, Cached().answered_at);
  EXPECT_EQ(back->known, Cached().known);
  EXPECT_EQ(back->issued, Cached().issued);
  EXPECT_EQ(back->forecast, Cached().forecast);
  ASSERT_TRUE(back->refused);
  EXPECT_EQ(back->refused->at, Cached().refused->at);
  EXPECT_EQ(back->refused->what, "not in your plan");
  EXPECT_EQ(back->refused->where, "https://x");
  EXPECT_EQ(back->refused->next, "another plan");
}

TEST(SignalCache, ADamagedFileIsAnErrorThatNamesIt) {
  const std::string text = ToText(Cached());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    const auto back = CachedSignalFromText(text.substr(0, length), "cache.json");
    ASSERT_FALSE(back);
    EXPECT_EQ(back.error().where, "cache.json");
  }
  std::string other = text;
  other.replace(other.find("cache/1"), 7, "cache/2");
  EXPECT_FALSE(CachedSignalFromText(other, "x"));
  std::string negative = text;
  negative.replace(negative.find("212.5"), 5, "-12.5");
  EXPECT_FALSE(CachedSignalFromText(negative, "x"));
}

TEST(SignalCache, EveryKeyHasAFileOfItsOwnAndNoNameLeavesTheDirectory) {
  core::SignalIdentity identity = Cached().identity;
  EXPECT_EQ(CachePath("c", "electricity-maps", identity),
            "c/electricity-maps_DE_average_lifecycle.json");
  identity.zone = "../../x";
  EXPECT_EQ(CachePath("c", "p", identity).parent_path(), "c");
  identity.kind = core::SignalKind::kMarginal;
  EXPECT_NE(CachePath("c", "p", identity), CachePath("c", "p", Cached().identity));
}

}  // namespace
}  // namespace ebb::signals
