#include "service/devices/gpu_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace ebb::service {
namespace {

using std::chrono::milliseconds;
using Look = Result<meter::GpuInventory>;

meter::GpuInventory Inventory(int gpus) {
  meter::GpuInventory inventory;
  for (int i = 0; i < gpus; ++i) {
    const std::string uuid = "GPU-" + std::to_string(i);
    inventory.devices.push_back({uuid, "NVIDIA L4", static_cast<std::size_t>(i), uuid, "NVIDIA L4",
                                 std::optional(1.0), ""});
    inventory.cards.push_back(uuid);
  }
  return inventory;
}

// Waits for the next news of the watch.
Look Next(GpuWatch& watch) {
  for (;;) {
    if (auto news = watch.TakeNews()) return *std::move(news);
    std::this_thread::sleep_for(milliseconds{1});
  }
}

GpuWatchOptions Quick(std::function<Look()> look) {
  GpuWatchOptions options;
  options.look = std::move(look);
  options.every = options.every_in_trouble = milliseconds{1};
  return options;
}

TEST(GpuWatch, OnlyWhatDiffersIsNews) {
  auto gpus = std::make_shared<std::atomic<int>>(1);
  auto looks = std::make_shared<std::atomic<int>>(0);
  GpuWatch watch(Quick([gpus, looks]() -> Look {
    ++*looks;
    if (*gpus == 0) return Fail({ExitCode::kUnavailable, "no driver", "", ""});
    return Inventory(*gpus);
  }));
  EXPECT_EQ(watch.TakeFirst(milliseconds{60'000})->devices.size(), 1u);
  for (const int before = *looks; *looks < before + 3;)
    std::this_thread::sleep_for(milliseconds{1});
  EXPECT_FALSE(watch.TakeNews());
  *gpus = 2;
  EXPECT_EQ(Next(watch)->devices.size(), 2u);
  *gpus = 0;
  EXPECT_EQ(Next(watch).error().what, "no driver");
  *gpus = 2;
  EXPECT_EQ(Next(watch)->devices.size(), 2u);
}

TEST(GpuWatch, ADriverThatHangsHoldsNobodyUp) {
  auto release = std::make_shared<std::promise<void>>();
  std::shared_future<void> released = release->get_future().share();
  {
    GpuWatchOptions options = Quick([released]() -> Look {
      released.wait();
      return Inventory(1);
    });
    options.patience = milliseconds{0};
    GpuWatch watch(std::move(options));
    EXPECT_NE(watch.TakeFirst(milliseconds{1}).error().what.find("does not answer"),
              std::string::npos);
    release->set_value();
    EXPECT_EQ(Next(watch)->devices.size(), 1u);
  }
  // A look that never returns outlives the watch.
  auto never = std::make_shared<std::promise<void>>();
  std::shared_future<void> waits = never->get_future().share();
  {
    GpuWatch watch(Quick([never, waits]() -> Look { return waits.wait(), Inventory(0); }));
  }
  never->set_value();
}

}  // namespace
}  // namespace ebb::service
