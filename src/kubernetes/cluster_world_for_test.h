#pragma once
// A cluster executor beside the fake API server, and the fixture of tests on it.

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/cluster_executor.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"
#include "testing/executor_contract.h"

namespace ebb::kubernetes {

using Json = nlohmann::json;
inline constexpr const char* kJobs = "/apis/batch/v1/jobs";

// A controller beside the fake server.
class World {
 public:
  World() {
    server_.Create("/api/v1/nodes", NodeObject("node", 64, 8, "A100"));
    Begin();
  }

  void Begin(ClusterOptions options = {}) {
    options.site = {"cluster", "DE", {}};
    options.away_after = Duration{1'000};
    options.reflector.first_wait = options.client.first_wait = Duration{5};
    options.say = [this](const std::string& text) { said_.push_back(text); };
    executor_ = *ClusterExecutor::Open({.url = server_.url()}, options, clock_, signals_);
    EXPECT_TRUE(executor_->Begin(std::chrono::seconds{10}));
  }

  ClusterExecutor& executor() { return *executor_; }
  static Duration patience() { return std::chrono::seconds{10}; }

  core::JobId Add(testing::JobKind kind) {
    const std::string name = "job-" + std::to_string(++last_);
    if (kind == testing::JobKind::kShort) server_.SetCourse(name, FakeApiServer::Course::kSucceeds);
    if (kind == testing::JobKind::kFailing) server_.SetCourse(name, FakeApiServer::Course::kFails);
    if (kind == testing::JobKind::kUnstartable) server_.RefusePatches(name, 422);
    server_.Create(kJobs, JobObject(name));
    return Submitted().id;
  }

  // The next job that the executor submits.
  core::Job Submitted() {
    const Time until = clock_.Now() + patience();
    while (clock_.Now() < until) {
      for (const engine::Event& event : executor_->Take(clock_.Now()))
        if (const auto* submitted = std::get_if<engine::JobSubmitted>(&event.fact))
          return submitted->job;
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{50});
    }
    ADD_FAILURE() << "nothing is submitted";
    return {};
  }

  // The next event of this kind; skips all others.
  template <typename Fact>
  std::optional<Fact> Next() {
    const Time until = clock_.Now() + patience();
    while (clock_.Now() < until) {
      for (engine::Event& event : executor_->Take(clock_.Now())) events_.push_back(event);
      while (!events_.empty()) {
        const engine::Event event = events_.front();
        events_.pop_front();
        if (const auto* fact = std::get_if<Fact>(&event.fact)) return *fact;
      }
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{50});
    }
    return std::nullopt;
  }

  void Annotate(const std::string& name, const Json& annotations) {
    server_.Patch(kJobs, name, {{"metadata", {{"annotations", annotations}}}});
  }

  // Waits until a report of this phase comes.
  bool WaitFor(engine::JobPhase phase, Duration for_so_long = patience()) {
    const Time until = clock_.Now() + for_so_long;
    while (clock_.Now() < until) {
      const auto reports = executor_->WaitForEvents(until);
      for (const engine::JobReport& report : *reports)
        if (report.phase == phase) return true;
    }
    return false;
  }

  void GoOnFor(Duration time) {
    const Time until = clock_.Now() + time;
    while (clock_.Now() < until) std::ignore = executor_->WaitForEvents(until);
  }

  // Waits until `done` returns true, while the executor goes on.
  bool Until(const std::function<bool()>& done) {
    const Time until = clock_.Now() + patience();
    while (!done() && clock_.Now() < until)
      std::ignore = executor_->WaitForEvents(clock_.Now() + Duration{10});
    return done();
  }

  bool IsSuspended(const std::string& name) const {
    return server_.Get(kJobs, name)["spec"].value("suspend", false);
  }

  platform::ProcessSignals signals_;
  platform::SystemClock clock_{signals_};
  FakeApiServer server_;
  std::unique_ptr<ClusterExecutor> executor_;
  std::vector<std::string> said_;
  std::deque<engine::Event> events_;
  int last_ = 0;
};

class ClusterTest : public ::testing::Test {
 protected:
  ClusterExecutor& executor() { return world_.executor(); }
  FakeApiServer& server() { return world_.server_; }
  core::JobId Create(const std::string& name, std::map<std::string, std::string> annotations = {},
                     int gpus = 0) {
    server().Create(kJobs, JobObject(name, std::move(annotations), gpus));
    return world_.Submitted().id;
  }
  World world_;
};

}  // namespace ebb::kubernetes
