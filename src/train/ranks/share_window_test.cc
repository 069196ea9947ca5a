#include "train/ranks/share_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "train/ranks/rank_power.h"

namespace ebb::train {
namespace {

using std::chrono::milliseconds;

// Updates one after the other: 100 samples in `busy`, then a wait, then 50 ms that all share.
class Updates {
 public:
  void Add(ShareWindow& window, int count, milliseconds busy, milliseconds waiting,
           std::int64_t samples = 100) {
    for (int i = 0; i < count; ++i) {
      const Moment computed = now_ + busy, met = computed + waiting, end = met + milliseconds{50};
      window.Add({samples, now_, computed, met, end});
      now_ = end;
    }
  }
  Moment now() const { return now_; }

 private:
  Moment now_{};
};

TEST(ShareWindow, MeasuresWhatTheFirstUpdatesDoNotDistort) {
  ShareWindow window;
  Updates updates;
  updates.Add(window, 2, milliseconds{5000}, milliseconds{0});  // memory is allocated
  updates.Add(window, 8, milliseconds{200}, milliseconds{150});
  const WindowFigures figures = window.Figures();
  EXPECT_NEAR(*figures.samples_per_s, 500, 1e-9);
  EXPECT_NEAR(figures.common_s, 0.05, 1e-9);
  EXPECT_NEAR(figures.busy_share, 0.5, 1e-9);
  EXPECT_FALSE(figures.mean_w);
  EXPECT_FALSE(figures.BusyWatts(60));
}

TEST(ShareWindow, LastsForAFewUpdatesAndATime) {
  ShareWindow window;
  Updates updates;
  updates.Add(window, 9, milliseconds{1000}, milliseconds{0});
  EXPECT_FALSE(window.LastsFor(std::chrono::seconds{2})) << "seven count";
  updates.Add(window, 1, milliseconds{1000}, milliseconds{0});
  EXPECT_TRUE(window.LastsFor(std::chrono::seconds{2}));
  EXPECT_FALSE(window.LastsFor(std::chrono::seconds{10}));
  window.Restart();
  EXPECT_FALSE(window.LastsFor(std::chrono::seconds{2}));
}

TEST(ShareWindow, ARankWithoutAPartHasNoSpeed) {
  ShareWindow window;
  Updates updates;
  updates.Add(window, 10, milliseconds{0}, milliseconds{300}, 0);
  EXPECT_FALSE(window.Figures().samples_per_s);
}

TEST(ShareWindow, SplitsTheMeanPowerIfWaitsAreShort) {
  // 300 W while it computes (half of the time), 60 W otherwise, but the counter shows means only.
  ShareWindow window([](Moment begin, Moment end) {
    return std::optional(180 * std::chrono::duration<double>(end - begin).count());
  });
  Updates updates;
  updates.Add(window, 20, milliseconds{100}, milliseconds{50});
  const WindowFigures figures = window.Figures();
  EXPECT_NEAR(*figures.mean_w, 180, 1e-9);
  EXPECT_FALSE(figures.waiting_w);
  EXPECT_NEAR(*figures.BusyWatts(60), 300, 1e-9);
  EXPECT_FALSE(figures.BusyWatts(400)) << "a model that contradicts the counter";
}

TEST(ShareWindow, ReadsThePowerOfLongWaits) {
  // The energy of a device that draws 300 W in the first 400 ms of each second, and 60 W after.
  const auto joules_until = [](Moment moment) {
    const double at = std::chrono::duration<double>(moment.time_since_epoch()).count();
    const double whole = std::floor(at), part = at - whole;
    return whole * (0.4 * 300 + 0.6 * 60) + std::min(part, 0.4) * 300 +
           std::max(0.0, part - 0.4) * 60;
  };
  ShareWindow window([&](Moment begin, Moment end) {
    return std::optional(joules_until(end) - joules_until(begin));
  });
  Updates updates;
  updates.Add(window, 12, milliseconds{400}, milliseconds{550});
  const WindowFigures figures = window.Figures();
  EXPECT_NEAR(*figures.waiting_w, 60, 1e-3);
  EXPECT_NEAR(*figures.BusyWatts(*figures.waiting_w), 300, 1e-2);
}

TEST(ShareWindow, DoesNotBelieveAPowerThatIsMostlyUnknown) {
  ShareWindow window([](Moment begin, Moment) -> std::optional<double> {
    if (begin < Moment{} + std::chrono::seconds{3}) return std::nullopt;
    return 100.0;
  });
  Updates updates;
  updates.Add(window, 16, milliseconds{200}, milliseconds{0});
  EXPECT_FALSE(window.Figures().mean_w);
}

TEST(RankPower, FollowsTheModelOfTheDevice) {
  const RankPower gpu = ModelledGpuPower("NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpu.source, PowerSource::kModel);
  EXPECT_EQ(gpu.busy_w, 700);
  EXPECT_EQ(gpu.waiting_w, 72);
  EXPECT_EQ(ModelledGpuPower("a GPU of next year").source, PowerSource::kUnknown);
  const RankPower one = ModelledCpuPower(1), two = ModelledCpuPower(2, "/nonexistent");
  EXPECT_EQ(one.source, PowerSource::kModel);
  EXPECT_GT(one.busy_w, one.waiting_w);
  EXPECT_EQ(two.busy_w, 4) << "4 W for the one processor that is known";
}

}  // namespace
}  // namespace ebb::train
