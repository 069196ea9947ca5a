#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <set>
#include <thread>

#include "app/agent/agent_answers.h"
#include "app/agent/node_agent.h"
#include "app/agent/record_spool.h"
#include "base/text.h"
#include "kubernetes/api/api_server.h"
#include "kubernetes/nodes/agent_reader.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "testing/certificate_for_test.h"
#include "testing/golden.h"
#include "testing/scratch_directory.h"
#include "web/http/http_server.h"

namespace ebb::app {
namespace {

using std::chrono::seconds;

const Time kBegin = *ParseTime("2026-05-06T10:00Z");

core::NodeRecord RecordOf(int begin, int end) {
  core::NodeRecord record;
  record.wall = {kBegin + seconds{begin}, kBegin + seconds{end}};
  record.devices.push_back({"cpu",
                            core::Component::kCpu,
                            core::EnergySource::kModel,
                            record.wall,
                            Energy::Microjoules(5),
                            Energy::Microjoules(7),
                            {}});
  return record;
}

struct Told {
  core::NodeRecordsHead head;
  std::vector<core::NodeRecord> records;
};
Told Read(const std::string& text) {
  Told told;
  const auto lines = Split(text, '\n');
  told.head = *FromFieldText<core::NodeRecordsHead>(lines.front(), "test");
  for (std::size_t i = 1; i < lines.size(); ++i)
    if (!lines[i].empty())
      told.records.push_back(*FromFieldText<core::NodeRecord>(lines[i], "test"));
  return told;
}

class RecordSpoolTest : public ::testing::Test {
 protected:
  std::unique_ptr<RecordSpool> Open(std::size_t bytes = 1 << 20) {
    SpoolOptions options{"n1", directory_, bytes,
                         [this](const std::string& text) { said_ += text + "\n"; }};
    auto spool = RecordSpool::Open(options);
    EXPECT_TRUE(spool) << spool.error().Message();
    return spool ? *std::move(spool) : nullptr;
  }
  static Told All(const RecordSpool& spool) { return Read(spool.After("", 0, Time{}, 1 << 30)); }

  std::filesystem::path directory_ = ScratchDirectory("record_spool");
  std::string said_;
};

TEST_F(RecordSpoolTest, NumbersGoOnOverLivesAndNothingIsLost) {
  auto spool = Open();
  spool->Append(RecordOf(0, 30));
  spool->Append(RecordOf(30, 60));
  const std::string epoch = All(*spool).head.epoch;
  spool.reset();
  spool = Open();
  spool->Append(RecordOf(90, 120));
  const Told told = All(*spool);
  EXPECT_NE(told.head.epoch, epoch);
  ASSERT_EQ(told.records.size(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(told.records[static_cast<std::size_t>(i)].number, i + 1);
  EXPECT_EQ(told.records[2].wall.begin, kBegin + seconds{90});
}

TEST_F(RecordSpoolTest, WhatWasAskedForComesByNumberOrByTime) {
  const auto spool = Open();
  for (int i = 0; i < 5; ++i) spool->Append(RecordOf(30 * i, 30 * (i + 1)));
  const std::string epoch = All(*spool).head.epoch;
  EXPECT_EQ(Read(spool->After(epoch, 3, Time{}, 1 << 20)).records.size(), 2U);
  EXPECT_EQ(Read(spool->After("other", 3, kBegin + seconds{60}, 1 << 20)).records.size(), 3U);
  EXPECT_EQ(Read(spool->After(epoch, 0, Time{}, 1)).records.size(), 1U);  // always at least one
}

TEST_F(RecordSpoolTest, TheOldestGoWhenThereAreTooMany) {
  auto spool = Open(4000);
  for (int i = 0; i < 200; ++i) spool->Append(RecordOf(30 * i, 30 * (i + 1)));
  const RecordSpool::Counts counts = spool->counts();
  EXPECT_LE(counts.kept_bytes, 4000U);
  EXPECT_EQ(counts.dropped + counts.kept, 200);
  EXPECT_EQ(All(*spool).head.first, 201 - counts.kept);
  spool.reset();
  std::size_t on_disk = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_))
    on_disk += entry.file_size();
  EXPECT_LE(on_disk, 4100U);
  spool = Open(4000);
  EXPECT_EQ(All(*spool).records.back().number, 200);
}

TEST_F(RecordSpoolTest, ALineThatWasCutOffCostsThatLine) {
  auto spool = Open();
  spool->Append(RecordOf(0, 30));
  spool->Append(RecordOf(30, 60));
  spool.reset();
  const auto file = directory_ / "records.jsonl";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 10);
  spool = Open();
  EXPECT_NE(said_.find("1 records in "), std::string::npos) << said_;
  spool->Append(RecordOf(60, 90));
  const Told told = All(*spool);
  ASSERT_EQ(told.records.size(), 2U);
  EXPECT_EQ(told.records.back().wall.begin, kBegin + seconds{60});
}

TEST_F(RecordSpoolTest, TwoAgentsDoNotShareADirectory) {
  const auto first = Open();
  const auto second = RecordSpool::Open({"n1", directory_, 1 << 20});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ExitCode::kTryLater);
  EXPECT_NE(second.error().Message().find("one agent measures a node"), std::string::npos);
}

// The processor's power is modelled from a load that the test sets, over control groups that it
// creates.
TEST(NodeAgent, WritesRecordsWhosePartsAreTheNode) {
  const auto root = ScratchDirectory("node_agent");
  const auto group = root / "fs/cgroup/kubepods/podaaaaaaaa";
  const auto processes = root / "proc";
  std::filesystem::create_directories(group);
  std::filesystem::create_directories(processes);
  std::ofstream(root / "fs/cgroup/cgroup.controllers") << "cpu\n";
  std::ofstream(processes / "meminfo") << "MemTotal: 4194304 kB\nMemAvailable: 3145728 kB\n";
  // A second of CPU time is a hundred ticks. The agent reads while the test writes.
  const auto use = [&](long long ticks) {
    ASSERT_TRUE(platform::WriteFileAtomically(
        processes / "stat", "cpu  " + std::to_string(ticks) + " 0 0 0 0 0 0 0 0 0\n"));
    for (const auto& of : {group, group.parent_path()})
      ASSERT_TRUE(platform::WriteFileAtomically(
          of / "cpu.stat", "usage_usec " + std::to_string(10'000 * ticks) + "\n"));
  };
  use(100);
  auto spool = *RecordSpool::Open({"n1", {}, 1 << 20});
  NodeAgentOptions options;
  options.meters.scope = core::MeterScope::kMachine;
  options.meters.use_gpu = options.meters.use_rapl = false;
  options.meters.proc_root = processes.string();
  options.cgroup_root = (root / "fs/cgroup").string();
  options.interval = Duration{20};
  options.record = Duration{60};
  NodeAgent agent(options, *spool);
  // Waits until the agent has seen the pod, however busy the machine is: energy of its first
  // reading belongs to nobody.
  const auto told_of_the_pod = [](const core::NodeRecord& record) {
    return std::any_of(record.devices.begin(), record.devices.end(),
                       [](const core::DeviceEnergy& device) { return !device.pods.empty(); });
  };
  Told told;
  for (int i = 1; i <= 5000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    use(100 + i);
    told = Read(spool->After("", 0, Time{}, 1 << 30));
    if (std::count_if(told.records.begin(), told.records.end(), told_of_the_pod) >= 3) break;
  }
  agent.Stop();
  told = Read(spool->After("", 0, Time{}, 1 << 30));
  ASSERT_GE(told.records.size(), 3U);
  std::map<std::string, Energy> node, pods;
  for (std::size_t i = 0; i < told.records.size(); ++i) {
    const core::NodeRecord& record = told.records[i];
    if (i > 0) {
      EXPECT_EQ(record.wall.begin, told.records[i - 1].wall.end);
    }
    for (const core::DeviceEnergy& device : record.devices) {
      node[device.device] += device.node();
      for (const core::PodEnergy& pod : device.pods) {
        EXPECT_EQ(pod.pod, "aaaaaaaa");
        pods[device.device] += pod.energy;
      }
    }
  }
  EXPECT_GT(pods["cpu"], Energy{});
  const NodeFigures figures = agent.figures();
  Energy summed;
  for (const auto& [component, sums] : figures.by_component)
    summed += sums.pods + sums.idle + sums.unattributed;
  EXPECT_EQ(summed, node["cpu"] + node["ram"]);
  EXPECT_EQ(figures.by_pod.at("aaaaaaaa").at(core::Component::kCpu), pods["cpu"]);
}

// Each request is one second after the one before.
std::chrono::steady_clock::time_point NextSecond() {
  static std::chrono::steady_clock::time_point now{};
  return now += seconds{1};
}

// The energy that an agent records of one component while `grow` is called twenty times.
struct Recorded {
  std::map<std::string, Energy> pods;
  std::set<std::string> devices;
  Energy idle, unattributed;
  NodeFigures figures;
  Energy node() const {
    Energy sum = idle + unattributed;
    for (const auto& [pod, energy] : pods) sum += energy;
    return sum;
  }
};
Recorded Record(NodeAgentOptions options, core::Component component,
                const std::function<void()>& grow) {
  auto spool = *RecordSpool::Open({"n1", {}, 1 << 20});
  options.meters.scope = core::MeterScope::kMachine;
  options.meters.use_rapl = false;
  options.cgroup_root = "/nowhere";
  options.interval = Duration{20};
  options.record = Duration{60};
  NodeAgent agent(options, *spool);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    grow();
  }
  agent.Stop();
  Recorded recorded;
  recorded.figures = agent.figures();
  for (const core::NodeRecord& record : Read(spool->After("", 0, Time{}, 1 << 30)).records)
    for (const core::DeviceEnergy& device : record.devices) {
      if (device.component != component) continue;
      recorded.devices.insert(device.device);
      recorded.idle += device.idle;
      recorded.unattributed += device.unattributed;
      for (const core::PodEnergy& pod : device.pods) recorded.pods[pod.pod] += pod.energy;
    }
  return recorded;
}

// A GPU that dcgm-exporter reports; all of its energy belongs to its pod.
TEST(NodeAgent, TakesGpusAndTheirPodsFromDcgmExporter) {
  std::atomic<std::int64_t> millijoules{5'000'000};
  NodeAgentOptions options;
  options.meters.dcgm = std::make_shared<meter::DcgmExporter>(meter::DcgmExporter::Ports{
      [&]() -> Result<std::string> {
        return "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{UUID=\"GPU-a\",namespace=\"lab\",pod=\"p\"} " +
               std::to_string(millijoules) + "\n";
      },
      NextSecond});
  ASSERT_TRUE(options.meters.dcgm->Look());
  const Recorded recorded = Record(options, core::Component::kGpu, [&] { millijoules += 1000; });
  EXPECT_EQ(recorded.devices, std::set<std::string>{"gpu:GPU-a"});
  ASSERT_EQ(recorded.pods.size(), 1U);
  const Energy pod = recorded.pods.at("lab/p");
  EXPECT_GT(pod, Energy::Joules(5));
  EXPECT_LE(pod, Energy::Joules(20));
  EXPECT_EQ(recorded.node(), pod);
  EXPECT_EQ(recorded.figures.by_pod.at("lab/p").at(core::Component::kGpu), pod);
}

// Processors that Kepler reports: the agent uses no meter of its own and divides nothing by CPU
// time.
TEST(NodeAgent, TakesProcessorsAndTheirPodsFromKepler) {
  std::atomic<int> joules{1000};
  NodeAgentOptions options;
  options.meters.use_gpu = options.meters.use_cpu = false;
  options.kepler = std::make_shared<meter::KeplerExporter>(meter::KeplerExporter::Ports{
      [&]() -> Result<std::string> {
        const int now = joules;
        const auto line = [](const std::string& name, double value) {
          return "kepler_" + name + "zone=\"package\"} " + FormatExact(value) + "\n";
        };
        return line("node_cpu_active_joules_total{", 0.75 * now) +
               line("node_cpu_idle_joules_total{", 0.25 * now) +
               line("pod_cpu_joules_total{pod_id=\"u1\",state=\"running\",", 0.5 * now);
      },
      NextSecond});
  ASSERT_TRUE(options.kepler->Look());
  const Recorded recorded = Record(options, core::Component::kCpu, [&] { joules += 4; });
  EXPECT_EQ(recorded.devices, std::set<std::string>{"cpu:package-0"});
  const Energy pod = recorded.pods.at("u1");
  EXPECT_GT(pod, Energy::Joules(10));
  EXPECT_EQ(recorded.figures.by_pod.at("u1").at(core::Component::kCpu), pod);
  EXPECT_NEAR(pod.joules() / recorded.node().joules(), 0.5, 1e-6);
  EXPECT_NEAR(recorded.idle.joules() / recorded.node().joules(), 0.25, 1e-6);
}

class AgentAnswersTest : public ::testing::Test {
 protected:
  AgentAnswersTest() {
    NodeAgentOptions options;
    options.meters.scope = core::MeterScope::kMachine;
    options.meters.use_gpu = options.meters.use_rapl = false;
    options.cgroup_root = "/nowhere";
    agent_ = std::make_unique<NodeAgent>(options, *spool_);
  }
  web::HttpResponse Ask(const std::string& path, const std::string& token = "secret",
                        std::map<std::string, std::string> query = {}) {
    AgentAnswersOptions options{"n1", "secret", ""};
    options.now = [this] { return now_; };
    web::HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.query = std::move(query);
    if (!token.empty()) request.headers["authorization"] = "Bearer " + token;
    return AgentAnswers(options, *agent_, *spool_)(request);
  }
  Time now_ = kBegin + seconds{40};
  std::unique_ptr<RecordSpool> spool_ = *RecordSpool::Open({"n1", {}, 1 << 20});
  std::unique_ptr<NodeAgent> agent_;
};

TEST_F(AgentAnswersTest, WhoShowsTheTokenGetsRecords) {
  spool_->Append(RecordOf(0, 30));
  EXPECT_EQ(Ask("/records", "").status, 401);
  EXPECT_EQ(Ask("/records", "other").status, 401);
  EXPECT_EQ(Ask("/metrics", "").status, 401);
  const auto answer = Ask("/records");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(Read(answer.body).records.size(), 1U);
  EXPECT_EQ(Ask("/records", "secret", {{"after", "-1"}}).status, 400);
  EXPECT_EQ(Ask("/records", "secret", {{"after", "x"}}).status, 400);
  EXPECT_EQ(Ask("/elsewhere").status, 404);
}

TEST_F(AgentAnswersTest, ItIsHealthyWhileRecordsComeAndProbesNeedNoToken) {
  spool_->Append(RecordOf(0, 30));
  EXPECT_EQ(Ask("/healthz", "").status, 200);
  now_ = kBegin + std::chrono::minutes{10};
  EXPECT_EQ(Ask("/healthz", "").status, 503);
}

// An agent with a certificate, and a controller that reaches it at its pod's address.
class AgentByHttpsTest : public AgentAnswersTest {
 protected:
  void Serve(std::optional<web::TlsFiles> tls) {
    AgentAnswersOptions answers{"n1", "secret", ""};
    answers.now = [this] { return now_; };
    web::HttpServerOptions options;
    options.tls = std::move(tls);
    server_.emplace(*web::HttpServer::Start(options, AgentAnswers(answers, *agent_, *spool_)));
  }
  // Fetches records and returns their number.
  std::size_t Fetch(const std::string& authority_file) {
    kubernetes::AgentOptions options{.name_space = "ebb", .token = "secret"};
    options.authority = kubernetes::TextFromFile(authority_file, platform::SinceBoot);
    options.timeout = Duration{2000};
    auto streams = *platform::HttpStreams::Open();
    kubernetes::AgentReader reader(
        streams, platform::SinceBoot, [this](const std::string& text) { said_ += text; }, options);
    reader.TakePod(*ParseJson(
        R"({"metadata":{"uid":"u","namespace":"ebb","labels":{"app.kubernetes.io/name":"ebb-agent"}},)"
        R"("spec":{"nodeName":"n1","containers":[{"ports":[{"name":"records","containerPort":)" +
            std::to_string(server_->port()) +
            R"(}]}]},"status":{"phase":"Running","podIP":"127.0.0.1"}})",
        "test"));
    reader.Tick();
    while (streams.under_way() > 0) streams.Poll(Duration{500});
    std::size_t count = 0;
    for (const auto& records : reader.Take()) count += records.records.size();
    return count;
  }
  std::string said_;
  std::optional<web::HttpServer> server_;
};

TEST_F(AgentByHttpsTest, OnlyWhoProvesToBeAnAgentIsHeardAndGetsTheToken) {
  spool_->Append(RecordOf(0, 30));
  const Certificate certificate, other;
  Serve(web::TlsFiles{certificate.pem_file, certificate.key_file});
  EXPECT_EQ(Fetch(certificate.pem_file), 1u) << said_;
  EXPECT_EQ(said_, "");
  EXPECT_EQ(Fetch(other.pem_file), 0u);
  EXPECT_NE(said_.find("the agent of node n1 does not answer"), std::string::npos) << said_;
  EXPECT_EQ(Fetch("/nowhere/ca.pem"), 0u);
  EXPECT_NE(said_.find("/nowhere/ca.pem"), std::string::npos) << said_;
  Serve(std::nullopt);
  EXPECT_EQ(Fetch(certificate.pem_file), 0u) << "plain HTTP";
}

TEST(AgentMetrics, AScrapeIsAsItWasAndPodsHaveTheirNames) {
  const auto logs = ScratchDirectory("pod_logs");
  std::filesystem::create_directories(logs / "research_train-x7_0f6a1e52");
  std::filesystem::create_directories(logs / "odd");
  NodeFigures figures;
  for (const auto component :
       {core::Component::kCpu, core::Component::kRam, core::Component::kGpu}) {
    figures.by_component[component] = {Energy::Joules(3), Energy::Joules(2), Energy::Joules(1)};
    figures.by_pod["0f6a1e52"][component] = Energy::Joules(2);
    figures.by_pod["77aa"][component] = Energy::Joules(1);
    figures.by_pod["lab/by-name"][component] = Energy::Joules(1);
  }
  figures.lost_cpu_s = 0.5;
  RecordSpool::Counts counts;
  counts.written = 9;
  counts.kept = 7;
  counts.dropped = 2;
  counts.newest = kBegin;
  ExpectGoldenFile("app/testdata/agent_metrics.txt",
                   AgentMetrics("n1", figures, counts, PodNames(logs)));
}

}  // namespace
}  // namespace ebb::app
