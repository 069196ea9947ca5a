#pragma once
// A cluster executor beside a fake Kueue, and the fixture of tests on them.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/cluster_executor.h"
#include "kubernetes/fake_kueue_for_test.h"
#include "platform/system_clock.h"

namespace ebb::kubernetes {

using engine::JobPhase;

class KueueTest : public ::testing::Test {
 protected:
  void Begin(const std::string& version = "v1beta2", int quota = 4) {
    server_.Create("/api/v1/nodes", NodeObject("node", 64, 8, "A100"));
    kueue_.emplace(server_, version, quota);
    Restart();
  }
  void Restart() {
    executor_.reset();
    ClusterOptions options = options_;
    options.site = {"cluster", "DE", {}};
    options.reflector.first_wait = options.client.first_wait = Duration{5};
    options.say = [this](const std::string& text) { said_.push_back(text); };
    executor_ = *ClusterExecutor::Open({.url = server_.url()}, options, clock_, signals_);
    ASSERT_TRUE(executor_->Begin(std::chrono::seconds{10}));
  }

  // Waits as the loop uses the executor.
  void Go(bool kueue_too = true) {
    if (kueue_too) kueue_->Step();
    for (const engine::Event& event : executor_->Take(clock_.Now()))
      if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact)) {
        jobs_[submitted->job.name] = submitted->job;
        executor_->reconciler().Note(submitted->job.id, note_);
      }
    const auto reports = executor_->WaitForEvents(clock_.Now() + Duration{10});
    reports_.insert(reports_.end(), reports->begin(), reports->end());
  }
  bool Until(const std::function<bool()>& done, bool kueue_too = true) {
    const Time until = clock_.Now() + std::chrono::seconds{10};
    while (!done() && clock_.Now() < until) Go(kueue_too);
    return done();
  }
  void GoOnFor(Duration time, bool kueue_too = true) {
    const Time until = clock_.Now() + time;
    while (clock_.Now() < until) Go(kueue_too);
  }

  core::Job JobOf(const std::string& name) {
    EXPECT_TRUE(Until([&] { return jobs_.contains("default/" + name); }, false)) << name;
    return jobs_["default/" + name];
  }
  bool Reported(JobPhase phase) {
    return std::ranges::any_of(reports_, [&](const auto& report) { return report.phase == phase; });
  }
  Json Answer(const std::string& name) {
    const auto patches = server_.PatchesOf("job-" + name);
    return patches.empty() ? Json{} : patches.back()["status"]["admissionChecks"][0];
  }
  Json EventOf(const std::string& name, EventReason reason) {
    const Json job = server_.Get(kJobs, name);
    return server_.Get(
        "/api/v1/events",
        EventName({"batch/v1", "Job", "default", name, job["metadata"]["uid"]}, reason));
  }
  bool IsHeld(const std::string& name) { return !kueue_->Get(name)["spec"].value("active", true); }
  std::string State(const std::string& name) {
    const Json answer = Answer(name);
    return answer.is_null() ? "" : answer["state"];
  }
  bool Runs(const std::string& name) {
    return !server_.Get(kJobs, name)["spec"].value("suspend", false);
  }
  int PoolCount() {
    for (const core::DevicePool& pool : executor_->cluster().pools)
      if (pool.model == "ClusterQueue all") return pool.count;
    return -1;
  }
  void Start(const std::string& name, int attempt = 1) {
    ASSERT_TRUE(executor_->Execute(engine::StartJob{JobOf(name).id, attempt, 0}));
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  FakeApiServer server_;
  std::optional<FakeKueue> kueue_;
  ClusterOptions options_;
  std::unique_ptr<ClusterExecutor> executor_;
  std::vector<std::string> said_;
  ObjectNote note_{"waiting", "too dirty", ""};  // note on new objects
  std::map<std::string, core::Job> jobs_;
  std::vector<engine::JobReport> reports_;
};

}  // namespace ebb::kubernetes
