#include "meter/gpu/dcgm_exporter.h"

#include <gtest/gtest.h>

#include "meter/meters.h"

namespace ebb::meter {
namespace {

using std::chrono::seconds;

// A sample as dcgm-exporter 4 writes it.
std::string Sample(const std::string& field, const std::string& uuid, double value,
                   const std::string& more = "") {
  return "DCGM_FI_DEV_" + field + "{gpu=\"0\",UUID=\"" + uuid +
         "\",pci_bus_id=\"00000000:3B:00.0\",device=\"nvidia0\",modelName=\"NVIDIA "
         "A100-SXM4-40GB\","
         "Hostname=\"n1\"" +
         more + "} " + std::to_string(value) + "\n";
}
std::string Of(const std::string& name, const std::string& space = "lab") {
  return ",container=\"main\",namespace=\"" + space + "\",pod=\"" + name + "\"";
}

TEST(DcgmGpus, AreReadWithTheirPods) {
  const auto gpus = *DcgmGpusFromText(
      "# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).\n"
      "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n" +
      Sample("POWER_USAGE", "GPU-a", 302.206, Of("train-0")) +
      Sample("POWER_USAGE", "GPU-b", 54, Of("", "")) +
      Sample("TOTAL_ENERGY_CONSUMPTION", "GPU-a", 4'335'301'032, Of("train-0")) +
      Sample("GPU_UTIL", "GPU-a", 44, Of("train-0")) + "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 3\n");
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0].uuid, "GPU-a");
  EXPECT_EQ(gpus[0].model, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(gpus[0].microjoules, 4'335'301'032'000);
  EXPECT_DOUBLE_EQ(*gpus[0].watts, 302.206);
  EXPECT_DOUBLE_EQ(*gpus[0].utilisation_percent, 44);
  EXPECT_EQ(gpus[0].pods, (std::map<std::string, double>{{"lab/train-0", 1}}));
  EXPECT_FALSE(gpus[1].microjoules);
  EXPECT_TRUE(gpus[1].pods.empty());
}

TEST(DcgmGpus, SlicesAndGpusThatSeveralPodsShareAreDivided) {
  const auto slice = [](int id, const std::string& profile, const std::string& pod) {
    return ",GPU_I_PROFILE=\"" + profile + "\",GPU_I_ID=\"" + std::to_string(id) + "\"" + Of(pod);
  };
  const auto gpus =
      *DcgmGpusFromText(Sample("POWER_USAGE", "GPU-a", 9, slice(1, "3g.20gb", "one")) +
                        Sample("POWER_USAGE", "GPU-a", 9, slice(2, "2g.10gb", "two")) +
                        Sample("POWER_USAGE", "GPU-a", 9, slice(3, "1g.5gb", "one")) +
                        Sample("POWER_USAGE", "GPU-b", 9, Of("three")) +
                        Sample("POWER_USAGE", "GPU-b", 9, Of("four") + ",vgpu=\"1\""));
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_DOUBLE_EQ(gpus[0].pods.at("lab/one"), 4.0 / 7);
  EXPECT_DOUBLE_EQ(gpus[0].pods.at("lab/two"), 2.0 / 7);
  EXPECT_EQ(gpus[1].pods, (std::map<std::string, double>{{"lab/four", 0.5}, {"lab/three", 0.5}}));
}

TEST(DcgmGpus, OlderNamesOfLabelsAndUidsAreUnderstood) {
  const auto gpus = *DcgmGpusFromText(
      "DCGM_FI_DEV_POWER_USAGE{uuid=\"GPU-a\",pod_name=\"p\",pod_namespace=\"n\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-b\",pod=\"p\",namespace=\"n\",pod_uid=\"1-2\"} 1\n");
  EXPECT_TRUE(gpus[0].pods.contains("n/p"));
  EXPECT_TRUE(gpus[1].pods.contains("1-2"));
}

TEST(DcgmGpus, OtherTextsAreRefused) {
  EXPECT_FALSE(DcgmGpusFromText("<html>"));
  const auto none = DcgmGpusFromText("node_load1 0.3\n");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("no GPU"), std::string::npos);
}

// An exporter whose answers and whose clock the test sets.
class DcgmExporterTest : public ::testing::Test {
 protected:
  void Answer(double millijoules, const std::string& pod = Of("train-0")) {
    answer_ = Sample("TOTAL_ENERGY_CONSUMPTION", "GPU-a", millijoules, pod);
  }
  DcgmExporter::Clock::time_point now_{};
  Result<std::string> answer_ = std::string();
  int asked_ = 0;
  std::shared_ptr<DcgmExporter> exporter_ = std::make_shared<DcgmExporter>(
      DcgmExporter::Ports{[this] { return ++asked_, answer_; }, [this] { return now_; }});
};

TEST_F(DcgmExporterTest, IsAskedOnceASecondAndNotSoOftenWhileItDoesNotAnswer) {
  Answer(1000);
  EXPECT_TRUE(exporter_->Look());
  now_ += std::chrono::milliseconds{900};
  EXPECT_TRUE(exporter_->Look());
  EXPECT_EQ(asked_, 1);
  answer_ = Fail({ExitCode::kUnavailable, "connection refused", "http://n1", ""});
  now_ += seconds{1};
  EXPECT_FALSE(exporter_->Look());
  EXPECT_NE(exporter_->trouble().find("connection refused"), std::string::npos);
  EXPECT_TRUE(exporter_->gpus().empty());
  Answer(2000);
  now_ += seconds{5};
  EXPECT_FALSE(exporter_->Look());
  EXPECT_EQ(asked_, 2);
  now_ += seconds{5};
  EXPECT_TRUE(exporter_->Look());
  EXPECT_EQ(exporter_->trouble(), "");
  EXPECT_EQ(exporter_->gpus().at(0).pods.at("lab/train-0"), 1);
}

// Values stand still until the exporter reads the GPUs again; an outage loses nothing.
TEST_F(DcgmExporterTest, ItsCounterIsMeteredAsThatOfADriver) {
  Answer(1'000'000);
  ASSERT_TRUE(exporter_->Look());
  MeterOptions options;
  options.scope = core::MeterScope::kMachine;
  options.use_rapl = false;
  options.dcgm = exporter_;
  MeterSet meters = MakeMeters(options);
  ASSERT_EQ(meters.gpu_models, std::vector<std::string>{"NVIDIA A100-SXM4-40GB"});
  Meter& gpu = *meters.meters.back();
  EXPECT_NE(gpu.Description().find("dcgm-exporter"), std::string::npos) << gpu.Description();
  Time wall = *ParseTime("2026-05-06T10:00Z");
  gpu.Start(now_.time_since_epoch());
  Energy sum;
  Interval covered{Time::max(), Time::min()};
  const auto sample = [&] {
    IntervalUsage usage;
    usage.begin = now_.time_since_epoch();
    now_ += seconds{2};
    usage.end = now_.time_since_epoch();
    usage.wall = {wall, wall + seconds{2}};
    wall += seconds{2};
    for (const core::EnergyReading& reading : gpu.Sample(usage)) {
      EXPECT_EQ(reading.device, "gpu:GPU-a");
      EXPECT_EQ(reading.source, core::EnergySource::kCounter);
      sum += reading.energy;
      covered = {std::min(covered.begin, reading.wall.begin),
                 std::max(covered.end, reading.wall.end)};
    }
  };
  const Time begin = wall;
  for (int i = 0; i < 3; ++i) sample();
  EXPECT_EQ(sum, Energy{});
  Answer(1'003'000);
  sample();
  EXPECT_EQ(sum, Energy::Joules(3));
  EXPECT_EQ(covered.begin, begin);
  answer_ = Fail({ExitCode::kUnavailable, "timed out", "", ""});
  for (int i = 0; i < 3; ++i) sample();
  Answer(1'010'000);
  for (int i = 0; i < 6; ++i) sample();
  EXPECT_EQ(sum, Energy::Joules(10));
}

}  // namespace
}  // namespace ebb::meter
