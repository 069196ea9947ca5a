#pragma once
// Fixture for the tests of ClusterJobs: the service over a fake API server, with one controller
// after another on the same objects and the same store.
//
// Thread contract: the test's thread; the service has one of its own.

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "app/cluster/cluster_jobs.h"
#include "engine/explain.h"
#include "kubernetes/fake_agent_for_test.h"
#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"

namespace ebb::app {

using engine::Stage;
using kubernetes::FakeApiServer;
using kubernetes::JobObject;
using Course = FakeApiServer::Course;
inline constexpr const char* kJobs = "/apis/batch/v1/jobs";
inline constexpr std::chrono::seconds kPatience{20};

// The grid stays at 360 g/kWh.
class ClusterJobsTest : public ::testing::Test {
 protected:
  ClusterJobsTest() { server_.Create("/api/v1/nodes", kubernetes::NodeObject("node", 64, 8)); }
  ~ClusterJobsTest() override { Stop(); }

  void Start() {
    kubernetes::ClusterOptions cluster;
    cluster.site = {"cluster", "DE", Pue{1}};
    cluster.reflector.first_wait = cluster.client.first_wait = Duration{5};
    if (agent_) {
      cluster.agents.emplace();
      cluster.agents->urls = {agent_->url()};
      cluster.agents->every = Duration{20};
    }
    cluster.node_groups = groups_;
    if (policy_)
      cluster.policies = {"ebb", "p", [this](const auto&, const auto&) {
                            return Result<kubernetes::NamespacePolicy>(*policy_);
                          }};
    cluster_ = *kubernetes::ClusterExecutor::Open({.url = server_.url()}, cluster, wall_, signals_);
    service::ServiceOptions options;
    options.store = directory_ / "controller.db";
    options.jobs_directory = directory_ / "jobs";
    options.policy = queue_policy_;
    options.engine.admission = engine::Admission::kTakeAll;
    options.engine.changes_widths = true;
    options.executor.cluster.sites = {cluster.site};
    options.make_executor =
        [this](service::ExecutorPorts ports) -> Result<std::unique_ptr<local::JobExecutor>> {
      cluster_->KeepPools(ports.before);
      EBB_RETURN_IF_ERROR(cluster_->Begin(kPatience));
      ClusterJobsOptions of_jobs;
      of_jobs.default_max_delay = std::chrono::hours{24};
      auto jobs = std::make_unique<ClusterJobs>(*cluster_, std::move(ports), of_jobs);
      jobs_ = jobs.get();
      return jobs;
    };
    options.on_decision = [this](const engine::Decision& decision) { jobs_->Tell(decision); };
    options.on_figures = [this](const service::JobCard& card) { jobs_->TellFigures(card); };
    auto opened = service::Service::Open(options, feed_, clock_, signals_);
    ASSERT_TRUE(opened) << opened.error().Message();
    service_ = *std::move(opened);
    loop_ = std::thread([this] { EXPECT_TRUE(service_->Run()); });
  }
  // Puts the node "node" into a group whose nodes draw `idle_watts` when they run nothing.
  void BeOfAGroup(double idle_watts, Duration idle_tail) {
    kubernetes::NodeGroup group;
    group.name = "spot";
    group.labels = {{"pool", "spot"}};
    group.gpus = 8;
    group.cores = 64;
    group.most_nodes = 1;
    group.start_up = Duration{1000};
    group.idle_tail = idle_tail;
    group.idle_power = Power{idle_watts};
    groups_ = {group};
    server_.Patch("/api/v1/nodes", "node", {{"metadata", {{"labels", {{"pool", "spot"}}}}}});
  }
  void Stop() {
    if (!loop_.joinable()) return;
    ::kill(::getpid(), SIGTERM);
    loop_.join();
    service_.reset();
    cluster_.reset();
  }

  static std::map<std::string, std::string> Waiting() { return {{"ebb/threshold", "200"}}; }
  void Create(const std::string& name, std::map<std::string, std::string> annotations,
              int gpus = 0) {
    server_.Create(kJobs, JobObject(name, std::move(annotations), gpus));
  }
  void Annotate(const std::string& name, const nlohmann::json& annotations) {
    server_.Patch(kJobs, name, {{"metadata", {{"annotations", annotations}}}});
  }
  bool IsSuspended(const std::string& name) const {
    return server_.Get(kJobs, name)["spec"].value("suspend", false);
  }
  std::string Annotation(const std::string& name, const std::string& key) const {
    return server_.Get(kJobs, name)["metadata"]["annotations"].value("ebb/" + key, "");
  }
  static bool Until(const std::function<bool()>& done) {
    const auto limit = std::chrono::steady_clock::now() + kPatience;
    while (!done() && std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    return done();
  }
  // The newest job with this name.
  std::optional<service::JobCard> Find(const std::string& name) const {
    std::optional<service::JobCard> found;
    service_->view()->jobs.ForEach(0, [&](const service::JobCard& card) {
      if (card.submission->job.name == "default/" + name) found = card;
      return true;
    });
    return found;
  }
  ::testing::AssertionResult Becomes(const std::string& name, Stage stage) const {
    const bool became = Until([&] {
      const auto card = Find(name);
      return card && card->explanation.stage == stage;
    });
    if (became) return ::testing::AssertionSuccess();
    const auto card = Find(name);
    return ::testing::AssertionFailure()
           << name << (card ? ": " + engine::Sentence(card->explanation) : ": no such job") << "\n"
           << server_.Get(kJobs, name).dump(2);
  }
  bool Answers(service::Request request) {
    return static_cast<bool>(service_->Ask(std::move(request)).get());
  }

  std::filesystem::path directory_ = ScratchDirectory("cluster_jobs");
  platform::ProcessSignals signals_;
  platform::SystemClock wall_{signals_};
  runtime::GridClock clock_{wall_, core::GridClockSettings{}};
  testing::FakeFeed feed_{std::chrono::floor<std::chrono::days>(wall_.Now()),
                          std::vector<double>(72, 360)};
  FakeApiServer server_;
  std::string queue_policy_ = "threshold";
  std::vector<kubernetes::NodeGroup> groups_;
  std::optional<kubernetes::NamespacePolicy> policy_;  // policy of the namespace of all objects
  std::unique_ptr<kubernetes::FakeAgent> agent_;       // agent of the node "node", if there is one
  std::unique_ptr<kubernetes::ClusterExecutor> cluster_;
  ClusterJobs* jobs_ = nullptr;
  std::unique_ptr<service::Service> service_;
  std::thread loop_;
};

}  // namespace ebb::app
