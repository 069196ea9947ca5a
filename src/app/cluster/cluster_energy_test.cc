// Energy of pods that agents measured, as energy of the service's jobs.

#include "app/cluster/cluster_service_for_test.h"

namespace ebb::app {
namespace {

// Reports the energy of a node in a second from `begin` on: in microjoules, by pod, and outside
// pods.
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

  ASSERT_TRUE(Answers(service::ControlJob{job, engine::JobControl::kHold}));
  ASSERT_TRUE(Until([&] { return IsSuspended("train"); }));
  server_.Delete("/api/v1/pods", "p1");
  ASSERT_TRUE(Becomes("train", Stage::kPaused));
  Measure({{first, 1000}});  // energy of its checkpoint
  ASSERT_TRUE(HasMicrojoules("train", 3'600'002'000));
  ASSERT_TRUE(Until([&] { return Annotation("train", "energy-j") == "3600.002"; }));

  ASSERT_TRUE(Answers(service::ControlJob{job, engine::JobControl::kNone}));
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

// An agent that gets pods from dcgm-exporter reports them by name.
TEST_F(ClusterEnergyTest, PodsMayBeToldByName) {
  Begin("train");
  Pod("p1", "train");
  Measure({{"default/p1", 1000}, {"default/p2", 7}, {"other/p1", 9}});
  EXPECT_TRUE(HasMicrojoules("train", 2000));
  server_.Delete("/api/v1/pods", "p1");
  Pod("p1", "train");  // another pod with the same name
  Measure({{"default/p1", 500}});
  EXPECT_TRUE(HasMicrojoules("train", 3000));
}

TEST_F(ClusterEnergyTest, AReleasedJobSaysThatItsNodeHasToStart) {
  BeOfAGroup(0, std::chrono::minutes{10});
  server_.Delete("/api/v1/nodes", "node");
  Start();
  Create("train", {{"ebb/threshold", "400"}}, 8);
  ASSERT_TRUE(Becomes("train", Stage::kRunning));
  EXPECT_TRUE(Until([&] {
    return Find("train")->detail == "a node of group spot has to start for it, about 1s";
  })) << Find("train")->detail;
  nlohmann::json node = kubernetes::NodeObject("node", 64, 8);
  node["metadata"]["labels"]["pool"] = "spot";
  server_.Create("/api/v1/nodes", node);
  std::this_thread::sleep_for(std::chrono::milliseconds{500});  // for the change to be decided
  server_.CreatePod("p1", "train", 8);
  EXPECT_TRUE(Until([&] { return Find("train")->detail.empty(); })) << Find("train")->detail;
  EXPECT_EQ(Find("train")->explanation.stage, Stage::kRunning);
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

// Some pods stay unknown: a static pod, whose control group has another uid than its object, and
// pods of namespaces that are not watched. Records arrive more often than the time for which a pod
// is awaited.
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

}  // namespace
}  // namespace ebb::app
