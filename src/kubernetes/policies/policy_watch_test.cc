#include "kubernetes/policies/policy_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/cluster_executor.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
constexpr const char* kJobs = "/apis/batch/v1/jobs";
constexpr const char* kConfigMaps = "/api/v1/configmaps";

// "300 3": the threshold, and the most GPUs of one object.
Result<NamespacePolicy> Parse(const std::string& text, const std::string& key) {
  int threshold = 0, gpus = 0;
  if (std::sscanf(text.c_str(), "%d %d", &threshold, &gpus) != 2)
    return Fail({ExitCode::kUsage, "is not a policy", key, ""});
  NamespacePolicy policy;
  policy.defaults["threshold"] = std::to_string(threshold);
  policy.limits.gpus = gpus;
  return policy;
}

class PolicyWatchTest : public ::testing::Test {
 protected:
  void SetUp() override { server_.Create("/api/v1/nodes", NodeObject("node", 64, 8, "A100")); }

  void Begin() {
    executor_.reset();
    ClusterOptions options;
    options.site = {"cluster", "DE", {}};
    options.reflector.first_wait = options.client.first_wait = Duration{5};
    options.policies = {"ebb", "ebb-policies", Parse};
    options.say = [this](const std::string& text) { said_.push_back(text); };
    executor_ = *ClusterExecutor::Open({.url = server_.url()}, options, clock_, signals_);
    ASSERT_TRUE(executor_->Begin(std::chrono::seconds{10}));
  }
  void Policies(const Json& data) {
    server_.Create(kConfigMaps, {{"metadata", {{"name", "ebb-policies"}, {"namespace", "ebb"}}},
                                 {"data", data}});
  }
  Json Annotations() const {
    return server_.Get(kConfigMaps, "ebb-policies")["metadata"].value("annotations",
                                                                      Json::object());
  }
  bool Until(const std::function<bool()>& done) {
    const Time until = clock_.Now() + std::chrono::seconds{10};
    while (!done() && clock_.Now() < until)
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{10});
    return done();
  }
  // The threshold that the engine gets.
  std::optional<double> Threshold() {
    std::optional<double> threshold;
    Until([&] {
      for (const engine::Event& event : executor_->Take(clock_.Now())) {
        if (const auto* job = std::get_if<engine::JobSubmitted>(&event.fact))
          threshold = job->job.threshold->g_per_kwh;
        if (const auto* job = std::get_if<engine::JobChanged>(&event.fact))
          threshold = job->change.threshold->g_per_kwh;
      }
      return threshold.has_value();
    });
    return threshold;
  }
  std::string ReasonOn(const std::string& job) const {
    return server_.Get(kJobs, job)["metadata"]["annotations"].value("ebb/reason", "");
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  FakeApiServer server_;
  std::vector<std::string> said_;
  std::unique_ptr<ClusterExecutor> executor_;
};

TEST_F(PolicyWatchTest, APolicyIsInForceFromTheBeginningAndItsChangesAreFollowed) {
  Policies({{"default.yaml", "300 8"}, {"other.yaml", "100 8"}});
  server_.Create(kJobs, JobObject("train"));
  Begin();
  EXPECT_EQ(Threshold(), 300);
  ASSERT_TRUE(Until([&] { return Annotations().contains("ebb/status"); }));
  EXPECT_EQ(Annotations()["ebb/status"], "in force for default, other");
  server_.Patch(kConfigMaps, "ebb-policies", {{"data", {{"default.yaml", "200 8"}}}});
  EXPECT_EQ(Threshold(), 200);
}

TEST_F(PolicyWatchTest, NamespacesWithoutAPolicyOfTheirOwnHaveThatOfTheOthers) {
  Policies({{"_others.yaml", "250 8"}, {"research.yaml", "100 8"}});
  server_.Create(kJobs, JobObject("train"));
  Begin();
  EXPECT_EQ(Threshold(), 250);
}

TEST_F(PolicyWatchTest, TheLastGoodPolicyStaysInForceWhereOneIsWrongOverARestartToo) {
  Policies({{"default.yaml", "300 8"}});
  server_.Create(kJobs, JobObject("train"));
  Begin();
  EXPECT_EQ(Threshold(), 300);
  server_.Patch(kConfigMaps, "ebb-policies", {{"data", {{"default.yaml", "nonsense"}}}});
  ASSERT_TRUE(Until([&] { return Annotations().contains("ebb/last-good"); }));
  EXPECT_THAT(Annotations()["ebb/status"].get<std::string>(),
              HasSubstr("wrong: default.yaml: is not a policy (the last good policy stays in "
                        "force)"));
  EXPECT_TRUE(Until([&] {
    const Json events = server_.Get(
        "/api/v1/events", EventName({"v1", "ConfigMap", "ebb", "ebb-policies",
                                     server_.Get(kConfigMaps, "ebb-policies")["metadata"]["uid"]},
                                    EventReason::kBadPolicy));
    return events.is_object() && events["type"] == "Warning";
  }));
  Begin();
  EXPECT_EQ(Threshold(), 300);
  server_.Patch(kConfigMaps, "ebb-policies", {{"data", {{"default.yaml", "150 8"}}}});
  EXPECT_EQ(Threshold(), 150);
  EXPECT_TRUE(Until([&] { return !Annotations().contains("ebb/last-good"); }));
}

TEST_F(PolicyWatchTest, WhatIsTooWideIsNotReleasedUntilThePolicyAllowsIt) {
  Policies({{"default.yaml", "300 1"}});
  server_.Create(kJobs, JobObject("wide", {}, 4));
  Json running = JobObject("runs", {}, 4);
  running["spec"]["suspend"] = false;
  running["metadata"]["creationTimestamp"] = FormatTime(clock_.Now());
  server_.Create(kJobs, running);
  Begin();
  EXPECT_TRUE(Until([&] { return server_.Get(kJobs, "runs")["spec"]["suspend"] == true; }));
  ASSERT_TRUE(Until([&] { return !ReasonOn("wide").empty(); }));
  EXPECT_EQ(ReasonOn("wide"),
            "waiting: it asks for 4 GPUs, and the policy of namespace default allows one object 1");
  EXPECT_TRUE(executor_->Take(clock_.Now()).empty());
  server_.Patch(kConfigMaps, "ebb-policies", {{"data", {{"default.yaml", "300 4"}}}});
  EXPECT_EQ(Threshold(), 300);
}

TEST_F(PolicyWatchTest, WithoutTheConfigMapNoPolicyIsInForce) {
  Policies({{"default.yaml", "300 1"}});
  server_.Create(kJobs, JobObject("wide", {}, 4));
  Begin();
  ASSERT_TRUE(Until([&] { return !ReasonOn("wide").empty(); }));
  server_.Delete(kConfigMaps, "ebb-policies");
  bool is_submitted = false;
  EXPECT_TRUE(Until([&] {
    for (const engine::Event& event : executor_->Take(clock_.Now()))
      is_submitted |= std::holds_alternative<engine::JobSubmitted>(event.fact);
    return is_submitted;
  }));
}

}  // namespace
}  // namespace ebb::kubernetes
