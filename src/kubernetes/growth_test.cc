// Nodes, pods and objects come and go for months, and the remembered data must not grow.

#include <gtest/gtest.h>

#include "kubernetes/cluster_executor.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
constexpr const char* kNodes = "/api/v1/nodes";
constexpr const char* kPods = "/api/v1/pods";
constexpr const char* kJobs = "/apis/batch/v1/jobs";
constexpr int kTimes = 10'000;

class GrowthTest : public ::testing::Test {
 protected:
  GrowthTest() {
    server_.Create(kNodes, NodeObject("stays", 64, 8));
    ClusterOptions options;
    options.site = {"cluster", "DE", {}};
    executor_ = *ClusterExecutor::Open({.url = server_.url()}, options, clock_, signals_);
    EXPECT_TRUE(executor_->Begin(std::chrono::seconds{10}));
  }
  bool Until(const std::function<bool()>& done) {
    const Time until = clock_.Now() + std::chrono::seconds{60};
    while (!done() && clock_.Now() < until)
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{5});
    return done();
  }
  core::JobId Submitted() {
    std::optional<core::JobId> job;
    EXPECT_TRUE(Until([&] {
      for (const engine::Event& event : executor_->Take(clock_.Now()))
        if (const auto* fact = std::get_if<engine::JobSubmitted>(&event.fact)) job = fact->job.id;
      return job.has_value();
    }));
    return job.value_or(0);
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  FakeApiServer server_;
  std::unique_ptr<ClusterExecutor> executor_;
};

// A job that comes in between is released without delay.
TEST_F(GrowthTest, NodesAndPodsComeAndGo) {
  const std::size_t before = executor_->remembered();
  Duration longest{};
  for (int i = 0; i < kTimes; ++i) {
    const std::string name = std::to_string(i);
    server_.Create(kNodes, NodeObject("node-" + name, 8, 4, "model-" + std::to_string(i % 7)));
    server_.CreatePod("pod-" + name, "theirs");
    if (i % 50 != 49) continue;
    std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{1});
    for (int old = i - 49; old <= i; ++old) {
      server_.Delete(kNodes, "node-" + std::to_string(old));
      server_.Delete(kPods, "pod-" + std::to_string(old));
    }
    if (i % 2'000 != 1'999) continue;
    server_.Create(kJobs, JobObject("train-" + name));
    const Duration began = clock_.SinceBoot();
    const core::JobId job = Submitted();
    ASSERT_TRUE(executor_->Execute(engine::StartJob{job, 1, 0}));
    ASSERT_TRUE(Until(
        [&] { return !server_.Get(kJobs, "train-" + name)["spec"].value("suspend", false); }));
    longest = std::max(longest, clock_.SinceBoot() - began);
    server_.Delete(kJobs, "train-" + name);
    ASSERT_TRUE(
        Until([&] { return executor_->Observe()->front().phase == engine::JobPhase::kCancelled; }));
    executor_->Forget(job);
  }
  EXPECT_TRUE(Until([&] { return executor_->cluster().pools[0].count == 64; }));
  EXPECT_LE(executor_->remembered(), before + 7) << "a pool for each model";
  EXPECT_LT(longest, std::chrono::seconds{10});
}

TEST_F(GrowthTest, ObjectsThatWereRefusedOrGivenUpAreForgottenWithTheirEnd) {
  const std::size_t before = executor_->remembered();
  for (int i = 0; i < 20; ++i) {
    const std::string name = "job-" + std::to_string(i);
    server_.Create(kJobs, JobObject(name));
    const core::JobId job = Submitted();
    if (i % 2 == 0)
      executor_->reconciler().Refused(job, {ExitCode::kUsage, "is too wide", "", ""});
    else
      executor_->Forget(job);  // the engine forgets ended jobs
    server_.Delete(kJobs, name);
  }
  EXPECT_TRUE(Until([&] { return executor_->remembered() == before; }));
  server_.Create("/api/v1/namespaces",
                 {{"metadata", {{"name", "team"}, {"labels", {{"ebb/wait", "true"}}}}}});
  EXPECT_TRUE(Until([&] { return executor_->remembered() == before + 2; })) << "it is chosen";
  server_.Delete("/api/v1/namespaces", "team");
  EXPECT_TRUE(Until([&] { return executor_->remembered() == before; }));
}

}  // namespace
}  // namespace ebb::kubernetes
