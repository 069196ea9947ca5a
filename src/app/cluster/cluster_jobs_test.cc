#include "app/cluster/cluster_jobs.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "kubernetes/fake_api_server_for_test.h"
#include "platform/system_clock.h"
#include "testing/fake_feed.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

using engine::Stage;
using kubernetes::FakeApiServer;
using kubernetes::JobObject;
using Course = FakeApiServer::Course;
constexpr const char* kJobs = "/apis/batch/v1/jobs";
constexpr std::chrono::seconds kPatience{20};

// The service over a fake API server, on a grid that stays at 360 g/kWh.
class ClusterJobsTest : public ::testing::Test {
 protected:
  ClusterJobsTest() { server_.Create("/api/v1/nodes", kubernetes::NodeObject("node", 64, 8)); }
  ~ClusterJobsTest() override { Stop(); }

  void Start() {
    kubernetes::ClusterOptions cluster;
    cluster.site = {"cluster", "DE", Pue{1}};
    cluster.reflector.first_wait = cluster.client.first_wait = Duration{5};
    cluster_ = *kubernetes::ClusterExecutor::Open({.url = server_.url()}, cluster, wall_, signals_);
    service::ServiceOptions options;
    options.store = directory_ / "controller.db";
    options.jobs_directory = directory_ / "jobs";
    options.policy = "threshold";
    options.engine.admission = engine::Admission::kTakeAll;
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
    auto opened = service::Service::Open(options, feed_, clock_, signals_);
    ASSERT_TRUE(opened) << opened.error().Message();
    service_ = *std::move(opened);
    loop_ = std::thread([this] { EXPECT_TRUE(service_->Run()); });
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
  // The job of this name, newest first.
  std::optional<service::JobCard> Find(const std::string& name) const {
    std::optional<service::JobCard> found;
    service_->view()->jobs.ForEach(0, [&](const service::JobCard& card) {
      if (card.submission->job.name == "default/" + name) found = card;
      return true;
    });
    return found;
  }
  bool Becomes(const std::string& name, Stage stage) const {
    return Until([&] {
      const auto card = Find(name);
      return card && card->explanation.stage == stage;
    });
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
  std::unique_ptr<kubernetes::ClusterExecutor> cluster_;
  ClusterJobs* jobs_ = nullptr;
  std::unique_ptr<service::Service> service_;
  std::thread loop_;
};

TEST_F(ClusterJobsTest, AnObjectIsAJobThatWaitsIsToldToStartAndEnds) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  ASSERT_TRUE(Until([&] { return Annotation("train", "stage") == "waiting"; }));
  EXPECT_NE(Annotation("train", "reason").find("360 g/kWh is above 200 g/kWh"), std::string::npos);
  EXPECT_TRUE(IsSuspended("train"));
  const auto card = *Find("train");
  EXPECT_EQ(card.submission->command, (std::vector<std::string>{"Job", "default/train"}));
  server_.SetCourse("train", Course::kSucceeds);
  ASSERT_TRUE(Answers(service::Wish{card.submission->job.id, engine::Wish::kNow}));
  EXPECT_TRUE(Becomes("train", Stage::kSucceeded));
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage") == "succeeded"; }));
  EXPECT_EQ(Annotation("train", "attempt"), "1");
}

TEST_F(ClusterJobsTest, APersonHoldsAndLetsGo) {
  Start();
  Create("train", {{"ebb/threshold", "400"}, {"ebb/checkpointable", "true"}});
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  ASSERT_EQ(service_->view()->running.size(), 1U);
  EXPECT_EQ(service_->view()->running.front().slots, std::vector<int>{0});
  EXPECT_FALSE(service_->view()->running.front().is_measured);
  const core::JobId job = Find("train")->submission->job.id;
  ASSERT_TRUE(Answers(service::Wish{job, engine::Wish::kHold}));
  EXPECT_TRUE(Becomes("train", Stage::kPaused));
  EXPECT_TRUE(Until([&] { return service_->view()->running.empty(); }));
  EXPECT_TRUE(IsSuspended("train"));
  ASSERT_TRUE(Answers(service::Wish{job, engine::Wish::kNone}));
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
  EXPECT_TRUE(Until([&] { return Annotation("train", "attempt") == "2"; }));
}

TEST_F(ClusterJobsTest, WhatIsNoObjectIsRefused) {
  Start();
  core::Submission submission;
  submission.job.name = "program";
  submission.job.duration = Duration{1000};
  submission.command = {"true"};
  submission.working_directory = "/";
  const auto answer = service_->Ask(service::Submit(submission)).get();
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().Message().find("objects of a cluster"), std::string::npos);
}

TEST_F(ClusterJobsTest, WhatDoesNotFitIsOfferedAgainWhereThereIsMore) {
  Start();
  nlohmann::json wide = JobObject("wide", {{"ebb/threshold", "400"}}, 8);
  wide["spec"]["parallelism"] = 2;
  server_.Create(kJobs, wide);
  ASSERT_TRUE(Until([&] { return Annotation("wide", "stage") == "refused"; }));
  EXPECT_TRUE(Annotation("wide", "reason").starts_with("it needs 16 devices"))
      << Annotation("wide", "reason");
  EXPECT_FALSE(Find("wide"));
  server_.Create("/api/v1/nodes", kubernetes::NodeObject("another", 64, 8));
  EXPECT_TRUE(Becomes("wide", Stage::kRunning));
}

TEST_F(ClusterJobsTest, ADeletedObjectsJobIsCancelled) {
  Start();
  Create("waits", Waiting());
  Create("runs", {{"ebb/threshold", "400"}});
  ASSERT_TRUE(Becomes("waits", Stage::kWaiting));
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  server_.Delete(kJobs, "waits");
  server_.Delete(kJobs, "runs");
  EXPECT_TRUE(Becomes("waits", Stage::kCancelled));
  EXPECT_TRUE(Becomes("runs", Stage::kCancelled));
}

// The same numbers, no job twice, and what happened meanwhile.
TEST_F(ClusterJobsTest, AnotherLifeFindsItsJobsAndWhatBecameOfThem) {
  Start();
  for (const char* name : {"stays", "goes", "ends"}) Create(name, Waiting());
  for (const char* name : {"goes-on", "fails"}) Create(name, {{"ebb/threshold", "400"}});
  for (const char* name : {"stays", "goes", "ends"}) ASSERT_TRUE(Becomes(name, Stage::kWaiting));
  for (const char* name : {"goes-on", "fails"}) ASSERT_TRUE(Becomes(name, Stage::kRunning));
  std::map<std::string, core::JobId> numbers;
  for (const char* name : {"stays", "goes", "ends", "goes-on", "fails"})
    numbers[name] = Find(name)->submission->job.id;
  Stop();
  server_.Delete(kJobs, "goes");
  server_.SetCourse("ends", Course::kSucceeds);
  server_.Patch(kJobs, "ends", {{"spec", {{"suspend", false}}}});
  server_.SetCourse("fails", Course::kFails);
  server_.Patch(kJobs, "fails", {{"metadata", {{"labels", {{"seen", "true"}}}}}});
  Create("new", Waiting());

  Start();
  EXPECT_TRUE(Becomes("stays", Stage::kWaiting));
  EXPECT_TRUE(Becomes("goes", Stage::kCancelled));
  EXPECT_TRUE(Becomes("ends", Stage::kSucceeded));
  EXPECT_TRUE(Becomes("goes-on", Stage::kRunning));
  EXPECT_TRUE(Becomes("fails", Stage::kFailed));
  EXPECT_TRUE(Becomes("new", Stage::kWaiting));
  for (const auto& [name, number] : numbers)
    EXPECT_EQ(Find(name)->submission->job.id, number) << name;
  EXPECT_EQ(Annotation("goes-on", "attempt"), "1");
  std::size_t jobs = 0;
  service_->view()->jobs.ForEach(0, [&](const service::JobCard&) {
    ++jobs;
    return true;
  });
  EXPECT_EQ(jobs, 6U);
}

TEST_F(ClusterJobsTest, ChangedAnnotationsChangeTheJob) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  const core::JobId job = Find("train")->submission->job.id;
  Annotate("train", {{"ebb/priority", "7"}});
  EXPECT_TRUE(Until([&] { return Find("train")->submission->job.priority == 7; }));
  EXPECT_TRUE(IsSuspended("train"));
  Annotate("train", {{"ebb/threshold", "400"}});
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
  EXPECT_EQ(Find("train")->submission->job.id, job);
  EXPECT_EQ(Annotation("train", "attempt"), "1");
}

TEST_F(ClusterJobsTest, AnotherSizeIsAnotherJobAndWhatIsLetGoIsCancelled) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  const core::JobId job = Find("train")->submission->job.id;
  server_.Patch(kJobs, "train", {{"spec", {{"parallelism", 2}}}});
  EXPECT_TRUE(Until([&] { return Find("train")->submission->job.devices == 2; }));
  EXPECT_NE(Find("train")->submission->job.id, job);
  Annotate("train", {{"ebb/wait", "false"}});
  EXPECT_TRUE(Becomes("train", Stage::kCancelled));
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage").empty(); }));
  EXPECT_TRUE(IsSuspended("train"));
  Annotate("train", {{"ebb/wait", "true"}, {"ebb/threshold", "400"}});
  EXPECT_TRUE(Becomes("train", Stage::kRunning));
}

TEST_F(ClusterJobsTest, AChangeThatIsRefusedIsSaidAndCanBeMended) {
  Start();
  Create("train", Waiting());
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  Annotate("train", {{"ebb/finish-by", "2020-01-01T00:00Z"}});
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage") == "refused"; }));
  Annotate("train", {{"ebb/finish-by", nullptr}});
  EXPECT_TRUE(Until([&] { return Annotation("train", "stage") == "waiting"; }));
  EXPECT_TRUE(Becomes("train", Stage::kWaiting));
}

TEST_F(ClusterJobsTest, AnotherLifeFindsItsGangs) {
  Start();
  const nlohmann::json container{{"name", "main"}, {"resources", {{"requests", {{"cpu", "1"}}}}}};
  server_.Create("/api/v1/pods",
                 {{"metadata",
                   {{"name", "pod"},
                    {"labels", {{"ebb/gang", "g"}, {"ebb/gang-size", "1"}}},
                    {"annotations", Waiting()}}},
                  {"spec",
                   {{"schedulingGates", nlohmann::json::array({{{"name", "ebb/wait"}}})},
                    {"containers", nlohmann::json::array({container})}}}});
  ASSERT_TRUE(Becomes("g", Stage::kWaiting));
  const core::JobId job = Find("g")->submission->job.id;
  Stop();
  Start();
  Create("new", Waiting());
  ASSERT_TRUE(Becomes("new", Stage::kWaiting));
  EXPECT_TRUE(Becomes("g", Stage::kWaiting));
  EXPECT_EQ(Find("g")->submission->job.id, job);
  ASSERT_TRUE(Answers(service::Wish{job, engine::Wish::kNow}));
  EXPECT_TRUE(
      Until([&] { return server_.Get("/api/v1/pods", "pod")["spec"]["schedulingGates"].empty(); }));
}

// A store that is lost takes no attempt with it.
TEST_F(ClusterJobsTest, WithoutItsStoreItGoesOnByWhatIsOnTheObjects) {
  Start();
  Create("runs", {{"ebb/threshold", "400"}, {"ebb/checkpointable", "true"}});
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  ASSERT_TRUE(Until([&] { return Annotation("runs", "attempt") == "1"; }));
  Stop();
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  EXPECT_EQ(Find("runs")->attempt, 1);
  EXPECT_FALSE(IsSuspended("runs"));
}

}  // namespace
}  // namespace ebb::app
