#include "meter/sharing/kepler.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::meter {
namespace {

using std::chrono::seconds;

// A sample as Kepler 0.11 writes it.
std::string Node(const std::string& field, double joules, const std::string& zone = "package",
                 const std::string& path = "/sys/class/powercap/intel-rapl:0") {
  return "kepler_node_cpu_" + field + "{node_name=\"n1\",path=\"" + path + "\",zone=\"" + zone +
         "\"} " + FormatExact(joules) + "\n";
}
std::string Pod(const std::string& uid, double joules, const std::string& state = "running",
                const std::string& zone = "package") {
  return "kepler_pod_cpu_joules_total{node_name=\"n1\",pod_id=\"" + uid +
         "\",pod_name=\"train-0\",pod_namespace=\"lab\",state=\"" + state + "\",zone=\"" + zone +
         "\"} " + FormatExact(joules) + "\n";
}

TEST(KeplerNodes, PackagesAndPodsAreReadAndPartsOfPackagesAreNot) {
  const auto node = *KeplerNodeFromText(
      "# HELP kepler_node_cpu_joules_total Energy consumption of cpu at node level in joules\n"
      "# TYPE kepler_node_cpu_joules_total counter\n" +
      Node("joules_total", 77) + Node("active_joules_total", 500, "core") +
      Node("active_joules_total", 2000, "package", "/sys/class/powercap/intel-rapl:1") +
      Node("idle_joules_total", 400) + Node("active_joules_total", 600.25) +
      "kepler_node_cpu_watts{zone=\"package\"} 55\n" + Pod("uid-1", 30) +
      Pod("uid-1", 20, "running", "core") + Pod("uid-2", 5) + Pod("uid-2", 7, "terminated") +
      "kepler_container_cpu_joules_total{pod_id=\"uid-1\",zone=\"package\"} 30\n");
  ASSERT_EQ(node.packages.size(), 2U);
  EXPECT_EQ(node.packages[0].all_microjoules(), 1'000'250'000);
  EXPECT_EQ(node.packages[0].idle_microjoules, 400'000'000);
  EXPECT_EQ(node.packages[1].path, "/sys/class/powercap/intel-rapl:1");
  EXPECT_EQ(node.pods, (std::map<std::string, double>{{"uid-1", 30}, {"uid-2", 12}}));
}

TEST(KeplerNodes, OtherTextsAreRefused) {
  EXPECT_FALSE(KeplerNodeFromText("<html>"));
  const auto other =
      KeplerNodeFromText("node_load1 0.3\n" + Node("active_joules_total", 3, "psys"));
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().what.find("no processor package, only of psys"), std::string::npos)
      << other.error().what;
  EXPECT_FALSE(KeplerNodeFromText("kepler_node_cpu_active_joules_total{zone=\"package\"} NaN\n"));
  EXPECT_FALSE(KeplerNodeFromText("kepler_node_cpu_active_joules_total{zone=\"package\"} 1e300\n"));
}

class KeplerMeterTest : public ::testing::Test {
 protected:
  void Answer(double all, double idle, double pod) {
    answer_ = Node("joules_total", hardware_) + Node("active_joules_total", all - idle) +
              Node("idle_joules_total", idle) + Pod("uid-1", pod);
  }
  void Open() {
    ASSERT_TRUE(exporter_->Look());
    meter_.emplace(exporter_);
    meter_->Start(now_.time_since_epoch());
    before_ = exporter_->told();
  }
  // Samples two seconds later.
  core::DeviceEnergy Sample() {
    IntervalUsage usage;
    usage.begin = now_.time_since_epoch();
    now_ += seconds{2};
    usage.end = now_.time_since_epoch();
    usage.wall = {wall_, wall_ + seconds{2}};
    wall_ += seconds{2};
    const auto readings = meter_->Sample(usage);
    PodsInterval interval;
    interval.wall = usage.wall;
    if (exporter_->trouble().empty()) {
      AddKepler(before_, exporter_->told(), interval);
      before_ = exporter_->told();
    }
    split_.Use(std::move(interval));
    split_.Add(readings);
    core::NodeRecord record = split_.Take();
    return record.devices.empty() ? core::DeviceEnergy{} : std::move(record.devices.front());
  }

  double hardware_ = 0;  // value of the processor's own counter
  KeplerExporter::Clock::time_point now_{};
  Time wall_ = *ParseTime("2026-05-06T10:00Z");
  Result<std::string> answer_ = std::string();
  std::shared_ptr<KeplerExporter> exporter_ = std::make_shared<KeplerExporter>(
      KeplerExporter::Ports{[this] { return answer_; }, [this] { return now_; }});
  std::optional<KeplerMeter> meter_;
  KeplerNode before_;
  NodeSplit split_;
};

TEST_F(KeplerMeterTest, PodsIdleAndTheRestAreTheNode) {
  Answer(1000, 400, 100);
  Open();
  EXPECT_NE(meter_->Description().find("Kepler /sys/class/powercap/intel-rapl:0"),
            std::string::npos);
  EXPECT_EQ(Sample().node(), Energy{}) << "it has not looked since";
  Answer(1040, 410, 118);
  const core::DeviceEnergy device = Sample();
  EXPECT_EQ(device.device, "cpu:package-0");
  EXPECT_EQ(device.source, core::EnergySource::kCounter);
  EXPECT_EQ(device.idle, Energy::Joules(10));
  ASSERT_EQ(device.pods.size(), 1U);
  EXPECT_EQ(device.pods[0].pod, "uid-1");
  EXPECT_EQ(device.pods[0].energy, Energy::Joules(18));
  EXPECT_EQ(device.unattributed, Energy::Joules(12));
  EXPECT_EQ(device.wall.length(), Duration{seconds{4}}) << "with the time that it stood still";
}

// The hardware counter wraps every few minutes at full load. Kepler's own counters go on.
TEST_F(KeplerMeterTest, ACounterOfTheHardwareThatBeginsAnewLosesNothing) {
  hardware_ = 262'140;
  Answer(1000, 400, 100);
  Open();
  hardware_ = 3;
  Answer(1040, 410, 118);
  EXPECT_EQ(Sample().node(), Energy::Joules(40));
  EXPECT_TRUE(meter_->Gaps().empty());
}

TEST_F(KeplerMeterTest, AnOutageLosesNothingAndANewLifeOfKeplerCountsFromItsBegin) {
  Answer(1000, 400, 100);
  Open();
  answer_ = Fail({ExitCode::kUnavailable, "connection refused", "http://n1", ""});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Sample().node(), Energy{});
  EXPECT_NE(exporter_->trouble().find("connection refused"), std::string::npos);
  EXPECT_FALSE(meter_->Gaps().empty());
  Answer(1500, 500, 300);
  core::DeviceEnergy device;
  for (int i = 0; i < 6 && device.pods.empty(); ++i) device = Sample();
  EXPECT_EQ(device.node(), Energy::Joules(500));
  EXPECT_EQ(device.pods.at(0).energy, Energy::Joules(200));
  Answer(10, 4, 3);
  EXPECT_EQ(Sample().node(), Energy{});
  EXPECT_EQ(meter_->Gaps().size(), 1U);
  Answer(30, 9, 13);
  device = Sample();
  EXPECT_EQ(device.node(), Energy::Joules(20));
  EXPECT_EQ(device.idle, Energy::Joules(5));
  EXPECT_EQ(device.pods.at(0).energy, Energy::Joules(10));
}

}  // namespace
}  // namespace ebb::meter
