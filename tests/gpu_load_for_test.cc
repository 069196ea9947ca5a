// A program that trains on a GPU of the stand-in for NVML: its speed and power follow from the
// GPU's power limit (local/power/capped_load_for_test.h), it writes what the GPU's counter reads
// (meter/gpu/fake_nvml_for_test.h), and it reports its steps as the contract says.
//
//   gpu_load_for_test STEPS [STEP_S [DRAW_W [FIXED_SHARE]]]
//
// $CUDA_VISIBLE_DEVICES names the GPU. STEPS 0: until SIGTERM, or until the folder of the stand-in
// is gone with the test.

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "local/power/capped_load_for_test.h"

namespace ebb {
namespace {

using std::chrono::steady_clock;

volatile std::sig_atomic_t stop = 0;

class FakeGpu {
 public:
  FakeGpu() : file_(Variable("EBB_FAKE_NVML_STATE") + "." + Variable("CUDA_VISIBLE_DEVICES")) {
    std::ifstream(file_ + ".load") >> millijoules_;
  }
  double LimitWatts() const {
    double milliwatts = 300'000;
    std::ifstream(file_) >> milliwatts;
    return milliwatts / 1000;
  }
  bool IsGone() const { return !std::ifstream(file_ + ".load"); }
  void Use(double watts, double seconds) {
    millijoules_ += 1000 * watts * seconds;
    std::ofstream(file_ + ".load.next")
        << static_cast<long long>(millijoules_) << " " << static_cast<long long>(1000 * watts);
    std::rename((file_ + ".load.next").c_str(), (file_ + ".load").c_str());
  }
  static std::string Variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
  }

 private:
  std::string file_;
  double millijoules_ = 0;
};

long long WallMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

int Run(long long steps, const local::CappedLoad& load) {
  FakeGpu gpu;
  std::ofstream progress(FakeGpu::Variable("EBB_RUN_DIR") + "/progress.jsonl", std::ios::app);
  auto last = steady_clock::now();
  double part = 0;  // of the present step that is done
  for (long long step = 0; stop == 0 && (steps == 0 || step < steps);) {
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
    const auto now = steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last).count();
    last = now;
    const double limit_w = gpu.LimitWatts();
    gpu.Use(load.GpuWatts(limit_w), seconds);
    if (gpu.IsGone()) break;
    for (part += seconds / load.StepSeconds(limit_w); part >= 1; --part)
      progress << "{\"time_ms\":" << WallMs() << ",\"event\":\"step\",\"step\":" << ++step << "}"
               << std::endl;
  }
  return stop == 0 ? 0 : 75;
}

}  // namespace
}  // namespace ebb

int main(int count, char** words) {
  std::signal(SIGTERM, [](int) { ebb::stop = 1; });
  const auto number = [&](int i, double otherwise) {
    return count > i ? std::atof(words[i]) : otherwise;
  };
  ebb::local::CappedLoad load;
  load.step_s = number(2, 0.02);
  load.draw_w = number(3, 280);
  load.fixed_share = number(4, 0.2);
  return ebb::Run(static_cast<long long>(number(1, 0)), load);
}
