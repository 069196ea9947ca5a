// The loop, the engine and the executor beside the fake server, for hours that pass in seconds: the
// server is away, the signal is away, somebody sets the clock.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/engine_for_test.h"
#include "kubernetes/cluster_executor.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "runtime/run_loop.h"
#include "testing/fake_clock.h"

namespace ebb::kubernetes {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kJobs = "/apis/batch/v1/jobs";
const Time kMidnight = *ParseTime("2026-05-01");
constexpr double kDirty = 400, kClean = 100;

// Values of each hour without a forecast, as from a source that reports only the present.
class HourlyFeed final : public runtime::SignalFeed {
 public:
  explicit HourlyFeed(std::vector<double> values) : values_(std::move(values)) {}
  void AddOutage(Interval outage) { outage_ = outage; }

  const core::SignalIdentity& identity() const override { return identity_; }
  Result<core::SignalView> Observe(Time now, Duration) override {
    if (outage_.contains(now)) return Fail({ExitCode::kUnavailable, "source is down", "fake", ""});
    core::SignalView view;
    view.now = now;
    const auto hour = std::chrono::floor<hours>(now);
    const auto index = static_cast<std::size_t>((hour - kMidnight) / hours{1});
    view.known = *core::IntensitySeries::Create(
        identity_, {{{hour, hour + hours{1}}, {values_.at(index)}, core::SampleStatus::kMeasured}});
    return view;
  }
  Result<core::IntensitySeries> Believed(Interval) override {
    return core::IntensitySeries::Create(identity_, {});
  }
  Time NextChange(Time now) const override { return std::chrono::floor<hours>(now) + hours{1}; }

 private:
  std::vector<double> values_;
  Interval outage_{kMidnight, kMidnight};
  core::SignalIdentity identity_{"DE", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                                 "fake"};
};

// A controller that goes through hours of the clock in steps; each step lasts as long as the
// requests to the server take.
class Hours : public ::testing::Test {
 protected:
  static constexpr seconds kStep{20};

  void SetUp() override { server_.Create("/api/v1/nodes", NodeObject("node", 64, 8)); }

  void Create(const std::string& name, std::map<std::string, std::string> annotations) {
    auto object = JobObject(name, std::move(annotations));
    object["metadata"]["creationTimestamp"] = FormatTime(clock_.Now());
    server_.Create(kJobs, object);
  }
  // Runs the action after this much time.
  void After(Duration time, std::function<void()> action) {
    actions_.emplace(time, std::move(action));
  }

  // Runs for this much time, which differs from the clock if the clock is set.
  void Run(Duration time, std::vector<double> values, Interval outage = {kMidnight, kMidnight}) {
    HourlyFeed feed(std::move(values));
    feed.AddOutage(outage);
    ClusterOptions options;
    options.site = {"cluster", "DE", {}};
    options.say = [this](const std::string& text) { said_.push_back(text); };
    const auto executor = *ClusterExecutor::Open({.url = server_.url()}, options, clock_, signals_);
    ASSERT_TRUE(executor->Begin(seconds{10}));
    engine::Options engine_options;
    engine_options.admission = engine::Admission::kTakeAll;
    engine::Engine engine(engine_options, *plan::MakePolicy("threshold", {}));
    std::atomic<bool> over = false;
    std::thread waker([&] {
      while (!over) {
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
        executor->Wake();
      }
    });
    runtime::LoopPorts ports{*executor, {&feed}, *executor};
    ports.interrupted = [&] { return !GoOn(time); };
    EXPECT_TRUE(runtime::Run(engine, ports, {}));
    over = true;
    waker.join();
  }

  // The time from the beginning to the first sight of the release.
  std::optional<Duration> ReleasedAfter(const std::string& name) const {
    const auto found = released_.find(name);
    return found == released_.end() ? std::nullopt : std::optional(found->second);
  }
  // The server's answers take real time, in which minutes of the test's clock pass.
  static ::testing::AssertionResult IsSoonAfter(std::optional<Duration> moment, Duration expected) {
    if (!moment) return ::testing::AssertionFailure() << "never";
    if (*moment >= expected && *moment <= expected + minutes{45})
      return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "after " << FormatDuration(*moment);
  }

  FakeApiServer server_;
  testing::FakeClock clock_{kMidnight};
  std::vector<std::string> said_;

 private:
  bool GoOn(Duration until) {
    for (const std::string name : {"patient", "timed", "never", "first"}) {
      const auto job = server_.Get(kJobs, name);
      if (!job.is_null() && !job["spec"].value("suspend", false))
        released_.try_emplace(name, gone_);
    }
    while (!actions_.empty() && actions_.begin()->first <= gone_)
      actions_.extract(actions_.begin()).mapped()();
    if (gone_ >= until) return false;
    clock_.Advance(kStep);
    gone_ += kStep;
    return true;
  }

  platform::ProcessSignals signals_;
  std::multimap<Duration, std::function<void()>> actions_;
  std::map<std::string, Duration> released_;
  Duration gone_{};
};

TEST_F(Hours, NothingIsReleasedWhileTheServerIsAwayAndThenOnlyWhatIsDue) {
  Create("patient", {{"ebb/threshold", "200"}});  // the clean hour passes while the server is away
  Create("timed", {{"ebb/threshold", "50"}, {"ebb/start-by", "90m"}});
  Create("never", {{"ebb/threshold", "50"}});
  Create("first", {{"ebb/threshold", "500"}});
  After(minutes{30}, [&] { server_.SetAway(true); });
  After(minutes{150}, [&] { server_.SetAway(false); });
  Run(hours{6}, {kDirty, kClean, kDirty, kDirty, kClean, kDirty, kDirty});
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("first"), minutes{0}));
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("timed"), minutes{150})) << "as soon as it answers again";
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("patient"), hours{4})) << "not for an hour that is over";
  EXPECT_FALSE(ReleasedAfter("never"));
}

TEST_F(Hours, NothingIsReleasedWhileTheSignalIsAwayButAtItsDeadline) {
  Create("patient", {{"ebb/threshold", "200"}});
  Create("timed", {{"ebb/threshold", "50"}, {"ebb/start-by", "100m"}});
  Create("never", {{"ebb/threshold", "50"}});
  Run(hours{5}, {kDirty, kClean, kClean, kClean, kDirty, kDirty},
      {kMidnight + minutes{50}, kMidnight + minutes{170}});
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("timed"), minutes{100}));
  const auto patient = ReleasedAfter("patient");
  ASSERT_TRUE(patient);
  EXPECT_GE(*patient, minutes{170}) << "its grid was unknown";
  EXPECT_LE(*patient, minutes{170} + minutes{30}) << "the source is asked again";
  EXPECT_FALSE(ReleasedAfter("never"));
}

TEST_F(Hours, AClockThatIsSetForwardReleasesNothingButWhatIsDueByIt) {
  Create("patient", {{"ebb/threshold", "200"}});
  Create("timed", {{"ebb/threshold", "50"}, {"ebb/start-by", "6h"}});
  Create("never", {{"ebb/threshold", "50"}, {"ebb/start-by", "20h"}});
  Create("first", {{"ebb/threshold", "500"}});
  After(minutes{30}, [&] { clock_.Set(clock_.Now() + hours{3}); });
  Run(hours{5}, std::vector<double>(12, kDirty));
  EXPECT_FALSE(ReleasedAfter("patient"));
  EXPECT_FALSE(ReleasedAfter("never"));
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("timed"), hours{3})) << "when the clock shows 06:00";
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_NE(said_.front().find("the clock was set"), std::string::npos);
}

// Otherwise nothing would happen until the clock shows the earlier time again.
TEST_F(Hours, AClockThatIsSetBackDoesNotStandStill) {
  clock_.Set(kMidnight + hours{3});  // the clock was three hours ahead, and is corrected
  Create("timed", {{"ebb/threshold", "50"}, {"ebb/start-by", "9h"}});
  Create("patient", {{"ebb/threshold", "200"}});
  Create("never", {{"ebb/threshold", "50"}});
  After(minutes{30}, [&] { clock_.Set(clock_.Now() - hours{3}); });
  Run(hours{4}, {kDirty, kDirty, kClean, kDirty, kDirty, kDirty, kDirty, kDirty});
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("patient"), hours{2})) << "when the clock shows 02:00";
  EXPECT_FALSE(ReleasedAfter("timed"));
  EXPECT_FALSE(ReleasedAfter("never"));
}

TEST_F(Hours, AClockThatIsWrongForSecondsChangesNothing) {
  Create("timed", {{"ebb/threshold", "50"}, {"ebb/start-by", "2h"}});
  Create("never", {{"ebb/threshold", "50"}});
  After(minutes{30}, [&] { clock_.Set(clock_.Now() + hours{30}); });
  After(minutes{30} + kStep / 2, [&] { clock_.Set(clock_.Now() - hours{30}); });
  Run(hours{3}, std::vector<double>(5, kDirty));
  EXPECT_TRUE(IsSoonAfter(ReleasedAfter("timed"), hours{2}));
  EXPECT_FALSE(ReleasedAfter("never"));
}

}  // namespace
}  // namespace ebb::kubernetes
