#include "app/cluster/cluster_jobs.h"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "engine/explain.h"
#include "kubernetes/fake_agent_for_test.h"
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
    options.on_figures = [this](const service::JobCard& card) { jobs_->TellFigures(card); };
    auto opened = service::Service::Open(options, feed_, clock_, signals_);
    ASSERT_TRUE(opened) << opened.error().Message();
    service_ = *std::move(opened);
    loop_ = std::thread([this] { EXPECT_TRUE(service_->Run()); });
  }
  // The node "node" is of a group whose nodes draw so much when they run nothing.
  void BeOfAGroup(double idle_watts, Duration idle_tail) {
    kubernetes::NodeGroup group;
    group.name = "spot";
    group.labels = {{"pool", "spot"}};
    group.gpus = 8;
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
  // The job of this name, newest first.
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
  std::vector<kubernetes::NodeGroup> groups_;
  std::optional<kubernetes::NamespacePolicy> policy_;  // of the namespace of all objects
  std::unique_ptr<kubernetes::FakeAgent> agent_;       // of the node "node", where there is one
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
  for (const char* name : {"goes-on", "fails"}) {
    ASSERT_TRUE(Becomes(name, Stage::kRunning));
    ASSERT_TRUE(Until([&] { return Annotation(name, "attempt") == "1"; })) << "it is released";
  }
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

// Older ones are first in line, and would have the devices of what runs.
TEST_F(ClusterJobsTest, WithoutItsStoreItReleasesNoMoreThanFitsBesideWhatRuns) {
  const auto create = [&](const std::string& name, const char* threshold, const char* created) {
    nlohmann::json object = JobObject(name, {{"ebb/threshold", threshold}}, 1);
    object["metadata"]["creationTimestamp"] = created;
    server_.Create(kJobs, object);
  };
  const Time older = wall_.Now() - std::chrono::hours{1};
  Start();
  for (int i = 0; i < 6; ++i) {
    create("waits-" + std::to_string(i), "200", FormatTime(older).c_str());
    Create("runs-" + std::to_string(i), {{"ebb/threshold", "400"}}, 1);
  }
  const auto released = [&] {
    int count = 0;
    for (int i = 0; i < 6; ++i)
      for (const char* kind : {"waits-", "runs-"}) count += !IsSuspended(kind + std::to_string(i));
    return count;
  };
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(Becomes("waits-" + std::to_string(i), Stage::kWaiting));
    ASSERT_TRUE(Until([&] { return Annotation("runs-" + std::to_string(i), "attempt") == "1"; }));
  }
  Stop();
  for (int i = 0; i < 6; ++i) Annotate("waits-" + std::to_string(i), {{"ebb/threshold", "400"}});
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Until([&] { return released() >= 8; }));
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(Becomes("runs-" + std::to_string(i), Stage::kRunning));
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  EXPECT_EQ(released(), 8) << "there are eight GPUs";
}

// What runs is expected to use more than all of it.
TEST_F(ClusterJobsTest, WithoutItsStoreItStartsNothingThatTheBudgetHasNoRoomForBesideWhatRuns) {
  policy_.emplace().budget.energy = Energy::Joules(3.2e6);
  server_.Create("/api/v1/configmaps", {{"metadata", {{"name", "p"}, {"namespace", "ebb"}}},
                                        {"data", {{"default.yaml", "given"}}}});
  const std::map<std::string, std::string> whole{
      {"ebb/threshold", "400"}, {"ebb/power", "1000"}, {"ebb/duration", "1h"}};
  Start();
  Create("runs", whole, 1);
  ASSERT_TRUE(Until([&] { return !IsSuspended("runs") && Annotation("runs", "attempt") == "1"; }));
  Stop();
  Create("waits", whole, 1);
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Becomes("runs", Stage::kRunning));
  EXPECT_TRUE(Until([&] { return Annotation("waits", "stage") == "waiting"; }));
  EXPECT_TRUE(Until([&] {
    return Annotation("waits", "reason").find("budget") != std::string::npos;
  })) << Annotation("waits", "reason");
  EXPECT_TRUE(IsSuspended("waits"));
  EXPECT_EQ(Annotation("waits", "attempt"), "");
}

// Nothing is known of what the job itself used.
TEST_F(ClusterJobsTest, TheStartOfANodeAndItsIdleTailAreSaidOfTheJobThatItRan) {
  BeOfAGroup(3600, Duration{200});
  Start();
  Create("train", {{"ebb/threshold", "400"}});
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  server_.CreatePod("p1", "train");
  ASSERT_TRUE(Until([&] { return Annotation("train", "stage") == "running"; }));
  std::this_thread::sleep_for(std::chrono::milliseconds{300});
  server_.Delete("/api/v1/pods", "p1");
  EXPECT_TRUE(Until([&] { return Annotation("train", "idle-energy-j") == "4320"; }))
      << Annotation("train", "idle-energy-j");
  EXPECT_TRUE(Until([&] { return Annotation("train", "idle-emissions-g") == "0.432"; }));
  EXPECT_EQ(Annotation("train", "energy-j"), "");
}

// What a node used in a second from `begin` on: in microjoules, by pod, and beside that.
class ClusterEnergyTest : public ClusterJobsTest {
 protected:
  ClusterEnergyTest() { agent_ = std::make_unique<kubernetes::FakeAgent>("node"); }

  void Measure(std::map<std::string, std::int64_t> pods, std::int64_t idle = 0,
               std::int64_t unattributed = 0) {
    const Time begin = std::max(next_, wall_.Now());
    core::NodeRecord record{0, {begin, begin + Duration{1000}}, {}};
    for (const auto& [device, component] : {std::pair{"cpu:package-0", core::Component::kCpu},
                                            {"gpu:GPU-1", core::Component::kGpu}}) {
      core::DeviceEnergy& of = record.devices.emplace_back();
      of = {device,
            component,
            core::EnergySource::kCounter,
            record.wall,
            Energy::Microjoules(idle),
            Energy::Microjoules(unattributed),
            {}};
      for (const auto& [pod, energy] : pods)
        of.pods.push_back({pod, Energy::Microjoules(energy), false});
    }
    next_ = record.wall.end;
    node_ += record.devices[0].node() + record.devices[1].node();
    agent_->Add(std::move(record));
  }
  std::string Pod(const std::string& name, const std::string& job) {
    return server_.CreatePod(name, job)["metadata"]["uid"];
  }
  bool HasMicrojoules(const std::string& job, std::int64_t energy) {
    return Until([&] { return Find(job)->energy.microjoules() == energy; });
  }
  void Begin(const std::string& job) {
    Start();
    Create(job, {{"ebb/threshold", "400"}, {"ebb/checkpointable", "true"}});
    ASSERT_TRUE(Becomes(job, Stage::kRunning));
  }
  Time next_{};
  Energy node_;
};

TEST_F(ClusterEnergyTest, AllPartsOfAJobAreOneJobAndJobsIdleAndTheRestAreTheNode) {
  Begin("train");
  const core::JobId job = Find("train")->submission->job.id;
  const std::string first = Pod("p1", "train");
  EXPECT_FALSE(service_->view()->running.front().is_measured);
  Measure({{first, 1'800'000'000}, {Pod("p0", "of-nobody"), 7}}, 11, 13);
  ASSERT_TRUE(HasMicrojoules("train", 3'600'000'000));
  EXPECT_NEAR(Find("train")->emissions->grams, 0.36, 1e-9);  // 1 Wh at 360 g/kWh
  ASSERT_TRUE(Until([&] { return service_->view()->running.front().is_measured; }));
  EXPECT_NEAR(service_->view()->running.front().figures.power.watts, 3600, 1);
  ASSERT_TRUE(Until([&] { return Annotation("train", "energy-j") == "3600"; }));

  ASSERT_TRUE(Answers(service::Wish{job, engine::Wish::kHold}));
  ASSERT_TRUE(Until([&] { return IsSuspended("train"); }));
  server_.Delete("/api/v1/pods", "p1");
  ASSERT_TRUE(Becomes("train", Stage::kPaused));
  Measure({{first, 1000}});  // its checkpoint
  ASSERT_TRUE(HasMicrojoules("train", 3'600'002'000));
  ASSERT_TRUE(Until([&] { return Annotation("train", "energy-j") == "3600.002"; }));

  ASSERT_TRUE(Answers(service::Wish{job, engine::Wish::kNone}));
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  ASSERT_TRUE(Until([&] { return Annotation("train", "attempt") == "2"; }));
  const std::string second = Pod("p2", "train");
  Measure({{second, 1'800'000'000}});
  ASSERT_TRUE(HasMicrojoules("train", 7'200'002'000));
  server_.SetCourse("train", Course::kSucceeds);
  server_.Patch(kJobs, "train", {{"metadata", {{"labels", {{"seen", "true"}}}}}});
  ASSERT_TRUE(Becomes("train", Stage::kSucceeded));
  Measure({{second, 500}});
  next_ += std::chrono::minutes{1};
  Measure({});
  EXPECT_TRUE(Until([&] { return Annotation("train", "saved-g") == "0"; }));
  EXPECT_TRUE(Until([&] { return Annotation("train", "energy-j") == "7200.003"; }));
  EXPECT_EQ(Annotation("train", "emissions-g"), "0.72");
  EXPECT_EQ(Annotation("train", "intensity-at-submission"), "360");
  EXPECT_EQ(Annotation("train", "intensity-at-start"), "360");
  EXPECT_EQ(Find("train")->submission->job.id, job);

  const auto machine = service_->view()->counters.machine;
  EXPECT_EQ(machine.jobs.microjoules(), 7'200'003'000);
  EXPECT_EQ(machine.idle.microjoules(), 22);
  EXPECT_EQ(machine.unattributed.microjoules(), 2 * (13 + 7));
  EXPECT_EQ(machine.jobs + machine.idle + machine.unattributed, node_);
}

TEST_F(ClusterEnergyTest, IdleTimeOfANodeOfAGroupIsOfTheJobsThatItRanBefore) {
  BeOfAGroup(0, std::chrono::minutes{10});
  Begin("train");
  const std::string pod = Pod("p1", "train");
  Measure({{pod, 1000}}, 50);
  ASSERT_TRUE(HasMicrojoules("train", 2000));
  server_.Delete("/api/v1/pods", "p1");
  server_.SetCourse("train", Course::kSucceeds);
  server_.Patch(kJobs, "train", {{"metadata", {{"labels", {{"seen", "true"}}}}}});
  ASSERT_TRUE(Becomes("train", Stage::kSucceeded));
  Measure({}, 400'000, 30);
  EXPECT_TRUE(HasMicrojoules("train", 802'000));
  EXPECT_TRUE(Until([&] { return Annotation("train", "idle-energy-j") == "0.8"; }))
      << Annotation("train", "idle-energy-j");
  next_ += std::chrono::minutes{10};
  Measure({}, 70);
  const auto machine = [&] { return service_->view()->counters.machine; };
  EXPECT_TRUE(Until([&] { return machine().idle.microjoules() == 2 * (50 + 70); }));
  EXPECT_EQ(machine().jobs.microjoules(), 802'000);
  EXPECT_EQ(machine().jobs + machine().idle + machine().unattributed, node_);
}

TEST_F(ClusterEnergyTest, ARestartCountsNothingTwiceAndNothingIsLeftOut) {
  Begin("train");
  const std::string pod = Pod("p1", "train");
  Measure({{pod, 100}});
  ASSERT_TRUE(HasMicrojoules("train", 200));
  Stop();
  Measure({{pod, 1000}});  // while no controller runs
  Start();
  ASSERT_TRUE(HasMicrojoules("train", 2200));
  agent_->Restart();
  Measure({{pod, 10'000}});
  ASSERT_TRUE(HasMicrojoules("train", 22'200));
  Stop();
  Start();
  Measure({{pod, 1}});
  EXPECT_TRUE(HasMicrojoules("train", 22'202));
}

// As a static pod, whose control group has another uid than its object, and as pods of namespaces
// that are not watched. Records come faster than a pod is waited for.
TEST_F(ClusterEnergyTest, PodsThatStayUnknownHoldUpNothing) {
  Begin("train");
  const std::string pod = Pod("p1", "train");
  for (int i = 0; i < 100 && Find("train")->energy == Energy{}; ++i) {
    Measure({{pod, 100}, {"0b2b1c9d8e7f6a5b4c3d2e1f00112233", 7}});
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  EXPECT_GT(Find("train")->energy, Energy{});
  const auto machine = service_->view()->counters.machine;
  EXPECT_GT(machine.unattributed, Energy{});
}

TEST_F(ClusterEnergyTest, AnotherControllerGoesOnFromWhatIsOnTheObject) {
  Begin("train");
  const std::string pod = Pod("p1", "train");
  Measure({{pod, 500'000'000}});
  ASSERT_TRUE(Until([&] { return Annotation("train", "energy-j") == "1000"; }));
  const std::string grams = Annotation("train", "emissions-g");
  Stop();
  Measure({{pod, 500'000}});
  directory_ = ScratchDirectory("cluster_jobs_another");
  Start();
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  EXPECT_TRUE(HasMicrojoules("train", 1'001'000'000));
  EXPECT_NEAR(Find("train")->emissions->grams, 0.1001, 1e-6);
  EXPECT_EQ(grams, "0.1");
}

TEST_F(ClusterEnergyTest, WhereNoAgentIsNothingIsMeasuredAndTheEndIsSettledAtOnce) {
  agent_.reset();
  Begin("train");
  Pod("p1", "train");
  EXPECT_FALSE(service_->view()->running.front().is_measured);
  server_.SetCourse("train", Course::kSucceeds);
  server_.Patch(kJobs, "train", {{"metadata", {{"labels", {{"seen", "true"}}}}}});
  EXPECT_TRUE(Becomes("train", Stage::kSucceeded));
  EXPECT_EQ(Annotation("train", "energy-j"), "");
}

TEST_F(ClusterJobsTest, AnnotationsThatWereChangedWhileNoControllerRanAreFollowed) {
  Start();
  Create("train", Waiting());
  Create("wide", Waiting(), 1);
  ASSERT_TRUE(Becomes("train", Stage::kWaiting));
  ASSERT_TRUE(Becomes("wide", Stage::kWaiting));
  const core::JobId train = Find("train")->submission->job.id;
  const core::JobId wide = Find("wide")->submission->job.id;
  Stop();
  Annotate("train", {{"ebb/threshold", "100"}, {"ebb/priority", "7"}});
  Annotate("wide", {{"ebb/power", "400"}});
  Start();
  ASSERT_TRUE(Until([&] {
    const auto card = Find("train");
    return card && card->submission->job.threshold == Intensity{100};
  }));
  EXPECT_EQ(Find("train")->submission->job.id, train);
  EXPECT_EQ(Find("train")->submission->job.priority, 7);
  ASSERT_TRUE(Until([&] {
    const auto card = Find("wide");
    return card && card->submission->job.power == Power{400};
  }));
  EXPECT_NE(Find("wide")->submission->job.id, wide) << "no change expresses that";
  EXPECT_TRUE(Becomes("wide", Stage::kWaiting));
}

}  // namespace
}  // namespace ebb::app
