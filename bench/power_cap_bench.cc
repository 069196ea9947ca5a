// Compares --power-cap auto with a sweep of fixed limits. Programs with known laws of speed and
// power (local/power/capped_load_for_test.h) run in virtual time on the stand-in for NVML, through
// the code that limits real GPUs (local/power/power_control.h). The search is a part of each run
// and counts.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/text.h"
#include "base/units_text.h"
#include "local/power/capped_load_for_test.h"
#include "local/power/power_control.h"
#include "meter/gpu/fake_nvml_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb {
namespace {

constexpr const char* kGpu = "GPU-a";
constexpr double kLimit_w = 300, kLeast_w = 100;
constexpr double kIntensity = 300;  // g/kWh
constexpr double kHours = 2;        // of a run without a limit
constexpr std::uint64_t kSeeds = 5;
constexpr double kTarget = 0.02;  // grams above the best fixed limit

struct Case {
  const char* name;
  local::CappedLoad load;
  double slower_by_percent = 5;
};

std::vector<Case> Cases() {
  using local::CappedLoad;
  const CappedLoad usual{.draw_w = 290, .step_noise = 0.02, .power_noise = 0.01};
  std::vector<Case> cases{{"compute-bound", usual},
                          {"waits for memory", usual},
                          {"speed does not depend on the limit", usual},
                          {"draws half of the limit", usual},
                          {"reports every 25 steps, evaluates", usual},
                          {"large host", usual},
                          {"steps of 2 s that vary by 5 %", usual},
                          {"compute-bound, up to 20 % slower", usual, 20},
                          {"large host, up to 40 % slower", usual, 40}};
  cases[1].load.fixed_share = 0.6;
  cases[2].load.fixed_share = 1;
  cases[3].load.draw_w = 150;
  cases[4].load.steps_per_report = 25;
  cases[4].load.steps_per_pause = 400;
  cases[4].load.pause_s = 4;
  cases[5].load.other_w = 400;
  cases[6].load.step_s = 2;
  cases[6].load.step_noise = 0.05;
  cases[8].load.other_w = 400;
  return cases;
}

struct Ran {
  double grams = 0, seconds = 0;
  core::PowerChoice choice{};
};

/// A machine with one GPU, whose limit is that of the stand-in.
class Machine {
 public:
  Machine() : library_(::dlopen(EBB_FAKE_NVML, RTLD_NOW)) {
    gpus_ = reinterpret_cast<meter::FakeNvmlFunction*>(::dlsym(library_, "FakeNvml"))();
    gpus_->gpus = {{.uuid = kGpu, .limit_mw = static_cast<long long>(1000 * kLimit_w)}};
  }

  Ran Run(const Case& what, const core::PowerCap& cap, std::uint64_t seed = 1) const {
    const auto directory = ScratchDirectory("power-cap");
    local::CappedRun run(what.load, seed);
    std::vector<local::ProgressMark> marks;
    std::vector<core::EnergyReading> readings;
    local::PowerTerms terms{.cap = cap,
                            .slower_by = {what.slower_by_percent},
                            .gpus = {kGpu},
                            .nvml_library = EBB_FAKE_NVML};
    terms.progress = [&] { return std::exchange(marks, {}); };
    local::PowerControl control({directory, 1}, terms, Time{});
    const double steps = kHours * 3600 / what.load.MeanStepSeconds(kLimit_w);
    for (Time now{}; run.steps() < steps; now += Duration{1000}) {
      run.Run(
          now, static_cast<double>(gpus_->gpus[0].limit_mw) / 1000,
          [&](const local::ProgressMark& mark) { marks.push_back(mark); },
          [&](const core::EnergyReading& reading) { readings.push_back(reading); });
      control.Push(std::exchange(readings, {}));
      control.Look(now);
    }
    std::ignore = control.End();
    Ran ran{run.joules() / 3.6e6 * kIntensity, run.seconds()};
    if (const auto choices = local::ReadPowerChoices(directory); !choices.empty())
      ran.choice = choices.back();
    return ran;
  }

 private:
  void* library_;
  meter::FakeNvmlState* gpus_;
};

struct Best {
  double watts = kLimit_w;
  Ran ran;
};

// The fixed limit with the fewest grams among those under which a step is fast enough.
Best Sweep(const Machine& machine, const Case& what) {
  Best best{kLimit_w, machine.Run(what, {.watts = kLimit_w})};
  const double longest = what.load.StepSeconds(kLimit_w) * (1 + what.slower_by_percent / 100);
  for (double watts = kLeast_w; watts < kLimit_w; watts += 2) {
    const Ran ran = machine.Run(what, {.watts = watts});
    if (what.load.StepSeconds(watts) <= longest && ran.grams < best.ran.grams) best = {watts, ran};
  }
  return best;
}

// The run with the most grams among those of all seeds.
Ran WorstOfAuto(const Machine& machine, const Case& what) {
  Ran worst;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Ran ran = machine.Run(what, {.automatic = true}, seed);
    if (ran.grams > worst.grams) worst = std::move(ran);
  }
  return worst;
}

int Main() {
  const Machine machine;
  double worst = 0;
  std::printf("%-36s %10s %23s %23s %8s %8s\n", "program", "300 W", "best fixed limit",
              "auto, worst of 5 seeds", "against", "slower");
  for (const Case& what : Cases()) {
    const Ran open = machine.Run(what, {.watts = kLimit_w});
    const Best best = Sweep(machine, what);
    const Ran automatic = WorstOfAuto(machine, what);
    const double excess = automatic.grams / best.ran.grams - 1;
    worst = std::max(worst, excess);
    const Power kept = automatic.choice.cap.value_or(Power{kLimit_w});
    std::printf("%-36s %8.1f g %10.0f W %8.1f g %10.0f W %8.1f g %+6.2f %% %+5.1f %%\n", what.name,
                open.grams, best.watts, best.ran.grams, kept.watts, automatic.grams, 100 * excess,
                100 * (automatic.seconds / open.seconds - 1));
  }
  std::printf("auto at most %.2f %% above the best fixed limit, search included (target %.0f %%)\n",
              100 * worst, 100 * kTarget);
  return worst <= kTarget ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace ebb

int main() { return ebb::Main(); }
