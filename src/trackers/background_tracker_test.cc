#include "trackers/background_tracker.h"

#include <gtest/gtest.h>

namespace ebb::trackers {
namespace {

using namespace std::chrono_literals;

struct Seen {
  std::mutex mutex;
  int begun = 0, failures_left = 0, ended = 0;
  std::vector<double> values;
};

class Fake final : public Tracker {
 public:
  Fake(Seen& seen, const std::atomic<bool>& cancelled, bool hangs)
      : seen_(seen), cancelled_(cancelled), hangs_(hangs) {}
  std::string name() const override { return "Fake"; }
  Status Begin(const TrackedRun&) override {
    while (hangs_ && !cancelled_) std::this_thread::sleep_for(1ms);
    EBB_RETURN_IF_ERROR(MayFail());
    ++seen_.begun;
    return {};
  }
  Status Log(std::span<const Value> values) override {
    EBB_RETURN_IF_ERROR(MayFail());
    for (const Value& value : values) seen_.values.push_back(value.value);
    return {};
  }
  Status End(Outcome, Time) override {
    ++seen_.ended;
    return {};
  }

 private:
  Status MayFail() {
    const std::lock_guard guard(seen_.mutex);
    if (hangs_ || seen_.failures_left-- > 0)
      return Fail({ExitCode::kUnavailable, "is down", "http://x", ""});
    return {};
  }
  Seen& seen_;
  const std::atomic<bool>& cancelled_;
  const bool hangs_;
};

std::unique_ptr<BackgroundTracker> Make(Seen& seen, BackgroundOptions options, bool hangs = false) {
  return std::make_unique<BackgroundTracker>(
      [&seen, hangs](const std::atomic<bool>& cancelled) {
        return std::make_unique<Fake>(seen, cancelled, hangs);
      },
      TrackedRun{}, options);
}

const BackgroundOptions kQuick{1ms, 5ms, 20s, 1000};

TEST(BackgroundTracker, EverythingArrivesOnceInOrder) {
  Seen seen;
  auto tracker = Make(seen, kQuick);
  std::vector<double> expected;
  for (int i = 0; i < 100; ++i) {
    tracker->Log({{"k", static_cast<double>(i), i, {}}});
    expected.push_back(i);
  }
  tracker->End(Outcome::kDone, {});
  tracker->WaitForEnd();
  EXPECT_EQ(seen.values, expected);
  EXPECT_EQ(seen.begun, 1);
  EXPECT_EQ(seen.ended, 1);
  EXPECT_FALSE(tracker->TakeNote());
}

TEST(BackgroundTracker, WhatFailsIsDeliveredLaterAndSaidOnce) {
  Seen seen;
  seen.failures_left = 4;
  auto tracker = Make(seen, kQuick);
  tracker->Log({{"k", 1, 1, {}}, {"k", 2, 2, {}}});
  tracker->End(Outcome::kDone, {});
  tracker->WaitForEnd();
  EXPECT_EQ(seen.values, (std::vector<double>{1, 2}));
  const auto note = tracker->TakeNote();
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("is down"), std::string::npos);
  EXPECT_FALSE(tracker->TakeNote());
}

TEST(BackgroundTracker, OneThatHangsCostsNoMoreThanThePatience) {
  Seen seen;
  auto tracker = Make(seen, {1ms, 5ms, 20ms, 10}, true);
  for (int i = 0; i < 100'000; ++i) tracker->Log({{"k", 1, 1, {}}});
  tracker->End(Outcome::kDone, {});
  tracker->WaitForEnd();
  EXPECT_TRUE(seen.values.empty());
}

TEST(BackgroundTracker, OfTooManyTheLatestStay) {
  Seen seen;
  seen.failures_left = 1'000'000;
  BackgroundOptions options = kQuick;
  options.most_waiting = 3;
  options.patience = 1ms;
  {
    auto tracker = Make(seen, options);
    for (int i = 0; i < 10; ++i) tracker->Log({{"k", static_cast<double>(i), i, {}}});
    {
      const std::lock_guard guard(seen.mutex);
      seen.failures_left = 0;
    }
    tracker->End(Outcome::kDone, {});
    tracker->WaitForEnd();
  }
  ASSERT_LE(seen.values.size(), 10u);
  EXPECT_TRUE(seen.values.empty() || seen.values.back() == 9);
}

}  // namespace
}  // namespace ebb::trackers
