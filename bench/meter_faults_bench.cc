// Runs the readers of meters through faults of their hardware, on sysfs trees as real machines have
// them and on fake libraries. It checks three laws: no reading is negative, no zero stands for an
// unread value, and all missing energy is flagged.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/text.h"
#include "meter/cpu/rapl.h"
#include "meter/gpu/fake_nvml_for_test.h"
#include "meter/gpu/fake_rocm_for_test.h"
#include "meter/gpu/nvml.h"
#include "meter/gpu/rocm.h"
#include "meter/scratch_root_for_test.h"

namespace ebb::meter {
namespace {

constexpr std::int64_t kRange_uj = 262'143'328'850;
constexpr double kTolerance = 1e-6;

struct Outcome {
  double true_j = 0, read_j = 0;
  int negative = 0, zero = 0;
  std::vector<std::string> flags;
};

/// A machine that draws power while a meter reads it. The case decides what the meter gets to see.
class Bench {
 public:
  explicit Bench(std::unique_ptr<Meter> meter) : meter_(std::move(meter)) {}

  void Start() { meter_->Start(now_); }
  /// Lets time pass with a power of `watts`, at 1 Hz or in steps of `step`; `show` makes the energy
  /// visible.
  void Run(double seconds, double watts, const std::function<void(double joules)>& show,
           std::chrono::milliseconds step = std::chrono::seconds{1}) {
    const double step_s = std::chrono::duration<double>(step).count();
    for (double left = seconds; left > 1e-9; left -= step_s) {
      outcome.true_j += watts * step_s;
      Pass(step, watts, show);
    }
  }
  Outcome Finish() {
    outcome.flags = meter_->Gaps();
    return outcome;
  }
  Outcome outcome;

 private:
  // Takes one sample, with the polls in between that the meter asks for.
  void Pass(std::chrono::milliseconds step, double watts,
            const std::function<void(double joules)>& show) {
    const Instant begin = now_;
    const Instant poll = meter_->poll_interval().value_or(step);
    for (; now_ + poll < begin + step; now_ += poll) {
      show(watts * std::chrono::duration<double>(poll).count());
      meter_->Poll(now_ + poll);
    }
    show(watts * std::chrono::duration<double>(begin + step - now_).count());
    IntervalUsage usage;
    usage.begin = begin;
    usage.end = now_ = begin + step;
    usage.wall = {Time{std::chrono::floor<Duration>(usage.begin)},
                  Time{std::chrono::floor<Duration>(usage.end)}};
    for (const auto& reading : meter_->Sample(usage)) {
      outcome.read_j += reading.energy.joules();
      outcome.negative += reading.energy < Energy{};
      outcome.zero += reading.energy == Energy{};
    }
  }

  std::unique_ptr<Meter> meter_;
  Instant now_{};
};

// RAPL ---------------------------------------------------------------------------------------

class RaplWorld {
 public:
  explicit RaplWorld(std::vector<std::string> packages, std::int64_t at_uj = 1'000'000)
      : packages_(std::move(packages)), value_uj_(at_uj) {
    for (std::size_t i = 0; i < packages_.size(); ++i) {
      Write(i, "name", packages_[i]);
      Write(i, "max_energy_range_uj", std::to_string(kRange_uj));
    }
    Show(0);
    bench = std::make_unique<Bench>(std::make_unique<RaplMeter>(
        ScanRapl(root_.path()).packages,
        RaplMeter::Options{core::Component::kCpu, core::MeterScope::kMachine, 0}));
    bench->Start();
  }
  /// Shows the energy, of which each package has an equal part.
  void Show(double joules) {
    Spend(joules);
    for (std::size_t i = 0; i < packages_.size(); ++i)
      Write(i, "energy_uj", std::to_string(value_uj_));
  }
  void Spend(double joules) {
    const double each_uj = joules * 1e6 / static_cast<double>(packages_.size());
    value_uj_ = (value_uj_ + std::llround(each_uj)) % kRange_uj;
  }
  void Reset() { value_uj_ = 0; }
  void Hide(std::size_t package) {
    root_.Remove(Zone(package) + "/energy_uj");
    // Makes the counter a directory, which no user can read, not even root.
    root_.Write(Zone(package) + "/energy_uj/x", "");
  }
  void Unhide(std::size_t package) { root_.Remove(Zone(package) + "/energy_uj"); }
  void RemovePackage(std::size_t package) { root_.Remove(Zone(package)); }
  void Write(std::size_t package, const std::string& file, const std::string& text) {
    root_.Write(Zone(package) + "/" + file, text + "\n");
  }
  std::function<void(double)> shown() {
    return [this](double joules) { Show(joules); };
  }
  std::function<void(double)> unseen() {
    return [this](double joules) { Spend(joules); };
  }

  std::unique_ptr<Bench> bench;

 private:
  static std::string Zone(std::size_t package) { return "intel-rapl:" + std::to_string(package); }
  ScratchRoot root_;
  std::vector<std::string> packages_;
  std::int64_t value_uj_;
};

const std::vector<std::string> kTwoSockets{"package-0", "package-1"};

Outcome RaplWraps(std::chrono::milliseconds step) {
  RaplWorld world(kTwoSockets);
  world.bench->Run(7200, 700, world.shown(), step);
  return world.bench->Finish();
}

Outcome RaplReset() {
  RaplWorld world(kTwoSockets, 200'000'000'000);
  world.bench->Run(60, 300, world.shown());
  world.Reset();
  world.bench->Run(60, 300, world.shown());
  return world.bench->Finish();
}

Outcome RaplPermissionForAWhile() {
  RaplWorld world({"package-0"});
  world.bench->Run(30, 200, world.shown());
  world.Hide(0);
  world.bench->Run(30, 200, world.unseen());
  world.Unhide(0);
  world.bench->Run(30, 200, world.shown());
  return world.bench->Finish();
}

Outcome RaplPermissionForLong() {
  RaplWorld world({"package-0"});
  world.bench->Run(30, 200, world.shown());
  world.Hide(0);
  world.bench->Run(600, 200, world.unseen());
  world.Unhide(0);
  world.bench->Run(30, 200, world.shown());
  return world.bench->Finish();
}

Outcome RaplPermissionForGood() {
  RaplWorld world({"package-0"});
  world.bench->Run(30, 200, world.shown());
  world.Hide(0);
  world.bench->Run(30, 200, world.unseen());
  return world.bench->Finish();
}

Outcome RaplRemoved() {
  RaplWorld world({"package-0-die-0", "package-0-die-1"});
  world.bench->Run(30, 400, world.shown());
  world.RemovePackage(1);
  world.bench->Run(30, 400, [&](double joules) {
    world.Spend(joules);
    world.Show(0);
    world.RemovePackage(1);
  });
  return world.bench->Finish();
}

Outcome RaplStuck() {
  RaplWorld world({"package-0"});
  world.bench->Run(30, 150, world.shown());
  world.bench->Run(30, 150, world.unseen());
  return world.bench->Finish();
}

Outcome RaplStuckForAWhile() {
  RaplWorld world({"package-0"});
  world.bench->Run(30, 150, world.unseen());
  world.bench->Run(30, 150, world.shown());
  return world.bench->Finish();
}

Outcome RaplGarbage() {
  RaplWorld world({"package-0"});
  world.bench->Run(10, 150, world.shown());
  for (const char* text : {"", "-5", "1e9", "99999999999999999999999", "abc"})
    world.bench->Run(1, 150, [&](double joules) {
      world.Spend(joules);
      world.Write(0, "energy_uj", text);
    });
  world.bench->Run(10, 150, world.shown());
  return world.bench->Finish();
}

// GPUs ---------------------------------------------------------------------------------------

/// Keeps a fake library loaded, so that every later load meets the same state.
template <typename State>
class Fake {
 public:
  Fake(const char* library, const char* symbol) : handle_(::dlopen(library, RTLD_NOW)) {
    state = reinterpret_cast<State* (*)()>(::dlsym(handle_, symbol))();
    *state = {};
  }
  ~Fake() { ::dlclose(handle_); }
  Fake(const Fake&) = delete;
  Fake& operator=(const Fake&) = delete;
  State* state;

 private:
  void* handle_;
};

class NvmlWorld {
 public:
  explicit NvmlWorld(bool has_counter) : fake_(EBB_FAKE_NVML, "FakeNvml") {
    FakeGpu gpu{.uuid = "GPU-1", .name = "A100"};
    (has_counter ? gpu.millijoules : gpu.milliwatts) = 50'000;
    fake_.state->gpus = {gpu};
    bench = std::make_unique<Bench>(ScanGpus(EBB_FAKE_NVML, std::nullopt).meter);
    bench->Start();
  }
  FakeGpu& gpu() { return fake_.state->gpus[0]; }
  std::function<void(double)> counted() {
    return [this](double joules) { gpu().millijoules += std::llround(joules * 1000); };
  }
  static void Nothing(double) {}

 private:
  Fake<FakeNvmlState> fake_;

 public:
  std::unique_ptr<Bench> bench;
};

Outcome NvmlReset() {
  NvmlWorld world(true);
  world.bench->Run(60, 300, world.counted());
  world.gpu().millijoules = 0;
  world.bench->Run(60, 300, world.counted());
  return world.bench->Finish();
}

Outcome NvmlError(int error, bool comes_back) {
  NvmlWorld world(true);
  world.bench->Run(30, 300, world.counted());
  world.gpu().error = error;
  world.bench->Run(30, 300, world.counted());
  if (!comes_back) return world.bench->Finish();
  world.gpu().error = 0;
  world.bench->Run(30, 300, world.counted());
  return world.bench->Finish();
}

Outcome NvmlStuckCounter() {
  NvmlWorld world(true);
  world.bench->Run(30, 300, world.counted());
  world.bench->Run(30, 300, NvmlWorld::Nothing);
  return world.bench->Finish();
}

Outcome NvmlPower(int error) {
  NvmlWorld world(false);
  world.bench->Run(30, 50, [&](double) { world.gpu().milliwatts = 50'000; });
  world.gpu().error = error;
  world.bench->Run(30, 50, NvmlWorld::Nothing);
  world.gpu().error = 0;
  world.bench->Run(30, 50, NvmlWorld::Nothing);
  return world.bench->Finish();
}

// The sensor always shows 50 W while the card draws 300 W.
Outcome NvmlStuckPower() {
  NvmlWorld world(false);
  world.bench->Run(90, 300, NvmlWorld::Nothing);
  return world.bench->Finish();
}

class RocmWorld {
 public:
  RocmWorld() : fake_(EBB_FAKE_ROCM, "FakeRocm") {
    fake_.state->gpus = {{.unique_id = 1, .name = "MI250X", .count = 1000, .resolution_uj = 16}};
    bench = std::make_unique<Bench>(ScanRocmGpus({EBB_FAKE_ROCM}, {}).meter);
    bench->Start();
  }
  FakeRocmGpu& gpu() { return fake_.state->gpus[0]; }
  std::function<void(double)> counted() {
    return [this](double joules) { gpu().count += std::llround(joules * 1e6 / 16); };
  }

 private:
  Fake<FakeRocmState> fake_;

 public:
  std::unique_ptr<Bench> bench;
};

Outcome RocmReset() {
  RocmWorld world;
  world.bench->Run(60, 400, world.counted());
  world.gpu().count = 0;
  world.bench->Run(60, 400, world.counted());
  return world.bench->Finish();
}

Outcome RocmError(int error, bool comes_back) {
  RocmWorld world;
  world.bench->Run(30, 400, world.counted());
  world.gpu().error = error;
  world.bench->Run(30, 400, world.counted());
  if (!comes_back) return world.bench->Finish();
  world.gpu().error = 0;
  world.bench->Run(30, 400, world.counted());
  return world.bench->Finish();
}

Outcome RocmStuck() {
  RocmWorld world;
  world.bench->Run(30, 400, world.counted());
  world.bench->Run(30, 400, NvmlWorld::Nothing);
  return world.bench->Finish();
}

// --------------------------------------------------------------------------------------------

struct Case {
  const char* name;
  std::function<Outcome()> run;
};

std::vector<Case> Cases() {
  using namespace std::chrono_literals;
  return {
      {"RAPL, 2 h with wraps, every second", [] { return RaplWraps(1s); }},
      {"RAPL, 2 h with wraps, every 100 s", [] { return RaplWraps(100s); }},
      {"RAPL, 2 h with wraps, every 20 min", [] { return RaplWraps(1200s); }},
      {"RAPL, counters reset", RaplReset},
      {"RAPL, permission lost for 30 s", RaplPermissionForAWhile},
      {"RAPL, permission lost for 10 min", RaplPermissionForLong},
      {"RAPL, permission lost for good", RaplPermissionForGood},
      {"RAPL, one die removed", RaplRemoved},
      {"RAPL, counter stuck for good", RaplStuck},
      {"RAPL, counter stuck for 30 s", RaplStuckForAWhile},
      {"RAPL, garbage for 5 s", RaplGarbage},
      {"NVML, counter reset by the driver", NvmlReset},
      {"NVML, GPU lost for good", [] { return NvmlError(15, false); }},
      {"NVML, GPU lost for 30 s", [] { return NvmlError(15, true); }},
      {"NVML, permission lost for good", [] { return NvmlError(4, false); }},
      {"NVML, counter stuck for good", NvmlStuckCounter},
      {"NVML power, sensor silent for 30 s", [] { return NvmlPower(999); }},
      {"NVML power, sensor stuck at 50 of 300 W", NvmlStuckPower},
      {"ROCm, counter reset by the driver", RocmReset},
      {"ROCm, GPU removed for good", [] { return RocmError(3, false); }},
      {"ROCm, permission lost for 30 s", [] { return RocmError(4, true); }},
      {"ROCm, counter stuck for good", RocmStuck},
  };
}

bool Print(const Case& what, const Outcome& outcome) {
  const double lost_j = outcome.true_j - outcome.read_j;
  const bool is_lost = lost_j > kTolerance * outcome.true_j;
  const bool flagged = !outcome.flags.empty();
  const bool kept = outcome.negative == 0 && outcome.zero == 0 && (!is_lost || flagged) &&
                    lost_j > -kTolerance * outcome.true_j;
  std::printf("%-40s %12.3f %12.3f %11.3f  %s%s\n", what.name, outcome.true_j, outcome.read_j,
              is_lost ? lost_j : 0.0, flagged ? outcome.flags.front().c_str() : "-",
              kept ? "" : "  <-- LAW BROKEN");
  return kept;
}

int Run() {
  std::printf("%-40s %12s %12s %11s  %s\n", "case", "true J", "read J", "lost J", "flagged");
  int broken = 0, negative = 0, zero = 0, unflagged = 0;
  for (const Case& what : Cases()) {
    const Outcome outcome = what.run();
    broken += !Print(what, outcome);
    negative += outcome.negative;
    zero += outcome.zero;
    const double lost_j = outcome.true_j - outcome.read_j;
    unflagged += lost_j > kTolerance * outcome.true_j && outcome.flags.empty();
  }
  std::printf(
      "negative readings: %d   zeros for what was not read: %d   losses without a flag: %d\n",
      negative, zero, unflagged);
  return broken == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ebb::meter

int main() { return ebb::meter::Run(); }
