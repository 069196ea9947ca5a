#include "random_run.h"

#include <algorithm>

#include "base/text.h"
#include "plan/make_policy.h"
#include "plan/price_blend.h"
#include "platform/file.h"
#include "report/run/codecarbon_csv.h"
#include "report/run/gate_inputs.h"
#include "report/run/outlook_file.h"
#include "report/run/run_directory.h"
#include "report/run/seal.h"
#include "report/run/summary.h"
#include "runtime/gate_loop.h"

namespace ebb {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Time kDay{Duration{1'682'899'200'000}};  // 2023-05-01T00:00:00Z
constexpr int kDays = 5;

bool Chance(Random& random, double probability) { return random.Uniform() < probability; }
Duration Between(Random& random, Duration low, Duration high) {
  return low + Duration{static_cast<Duration::rep>(
                   random.Below(static_cast<std::uint64_t>((high - low).count()) + 1))};
}

core::SignalIdentity Identity(core::SignalKind kind) {
  return {"US-CAL-CISO", kind, core::Boundary::kLifecycle, "random", {}};
}

// A signal with gaps, steps of one length, and values of any status.
core::IntensitySeries RandomSignal(Random& random, core::SignalKind kind, bool flat, double gaps) {
  const std::array<Duration, 4> steps{minutes{5}, minutes{15}, minutes{30}, minutes{60}};
  const Duration step = steps[random.Below(steps.size())];
  std::vector<core::Sample> samples;
  double value = 300;
  for (Time begin = kDay; begin < kDay + hours{24 * kDays}; begin += step) {
    value = flat ? 300 : std::clamp(value + random.Uniform(-60, 60), 5.0, 900.0);
    if (!Chance(random, gaps))
      samples.push_back({{begin, begin + step},
                         Intensity{value},
                         static_cast<core::SampleStatus>(random.Below(4))});
  }
  return *core::IntensitySeries::Create(Identity(kind), std::move(samples));
}

core::PriceSeries RandomPrices(Random& random) {
  std::vector<core::PriceSample> samples;
  for (Time begin = kDay; begin < kDay + hours{24 * kDays}; begin += hours{1})
    if (!Chance(random, 0.02))
      samples.push_back({{begin, begin + hours{1}}, random.Uniform(-0.05, 0.6)});
  return *core::PriceSeries::Create({"EUR", "random"}, std::move(samples));
}

// The signal as it was known before it was revised.
core::IntensitySeries Before(const core::IntensitySeries& signal, Random& random) {
  std::vector<core::Sample> samples = signal.samples();
  for (core::Sample& sample : samples)
    if (Chance(random, 0.3)) sample.intensity.g_per_kwh *= random.Uniform(0.7, 1.3);
  std::erase_if(samples, [&](const core::Sample&) { return Chance(random, 0.03); });
  return *core::IntensitySeries::Create(signal.identity(), std::move(samples));
}

struct World {
  core::IntensitySeries believed, settled;
  std::optional<core::IntensitySeries> other;
  std::optional<core::PriceSeries> prices;
};

core::RunSpec RandomSpec(Random& random, const World& world) {
  core::RunSpec spec;
  const auto id = random.Next();
  spec.run_id = "run-" + std::to_string(id);
  spec.name = Chance(random, 0.1) ? "name, with \"quotes\"" : "run";
  spec.group = "group-" + std::to_string(id % 7);
  spec.command = {"python3", "train.py"};
  const std::vector<std::string> policies = plan::GatePolicyKindNames();
  spec.policy = plan::Name(*plan::GatePolicyKindFromName(policies[random.Below(policies.size())]));
  if (spec.policy == "threshold") spec.threshold = Intensity{random.Uniform(100, 400)};
  spec.submitted = kDay + Between(random, hours{25}, hours{40});
  spec.created_wall = spec.submitted;
  spec.start_by =
      spec.submitted + (spec.policy == "now" ? Duration{0} : Between(random, hours{1}, hours{24}));
  spec.duration = Between(random, minutes{5}, hours{6});
  spec.clock.replayed = Chance(random, 0.5);
  if (spec.clock.replayed) spec.clock.begin = spec.submitted;
  if (spec.clock.replayed) spec.clock.speed = 2;
  spec.signal = world.settled.identity();
  if (world.other) spec.other_signal = world.other->identity();
  spec.pue.ratio = Chance(random, 0.5) ? 1 : random.Uniform(1, 2);
  if (Chance(random, 0.3)) spec.wue_l_per_kwh = random.Uniform(0, 3);
  if (Chance(random, 0.3)) spec.embodied = core::Embodied{{2e6}, hours{35040}, 0.25};
  if (Chance(random, 0.5)) spec.scope = core::MeterScope::kMachine;
  spec.meters = {"cpu: model, TDP 65 W"};
  spec.machine = {"host", "Linux-6.1.0-x86_64", "Test CPU", 2, 16, {}, {}};
  if (Chance(random, 0.5)) spec.machine.gpu_models = {"Test GPU"};
  if (world.prices)
    spec.prices = core::RunPrices{world.prices->identity(), Chance(random, 0.5) ? 0.4 : 0, {}};
  return spec;
}

core::SignalView ViewAt(const World& world, Time now, Duration horizon) {
  core::SignalView view;
  view.now = now;
  view.known = world.believed.Slice({now - hours{24}, now + Duration{1}});
  std::vector<core::Sample> ahead;
  for (const core::Sample& sample : world.believed.samples()) {  // the values of a day before
    const Interval moved{sample.interval.begin + hours{24}, sample.interval.end + hours{24}};
    const bool is_ahead = moved.begin >= std::max(now, view.known.span().end);
    if (is_ahead && moved.begin < now + horizon)
      ahead.push_back({moved, sample.intensity, core::SampleStatus::kForecast});
  }
  view.forecast = {now,
                   "yesterday",
                   *core::IntensitySeries::Create(world.believed.identity(), std::move(ahead)),
                   {},
                   {}};
  return view;
}

// Decides until the run starts or stops, as runtime::WaitForStart does with skipped waits.
Result<core::GateDecision> Gate(report::RunDirectory& directory, const World& world,
                                const core::RunSpec& spec) {
  plan::GateRequest request{spec.submitted, *spec.start_by, spec.duration};
  plan::PolicyOptions options;
  options.threshold.threshold = spec.threshold;
  EBB_ASSIGN_OR_RETURN(auto policy, plan::MakeGatePolicy(spec.policy, options));
  std::optional<plan::PriceGateOptions> prices;
  if (spec.prices && spec.prices->weight > 0) {
    prices = plan::PriceGateOptions{std::make_shared<const core::PriceSeries>(*world.prices),
                                    spec.prices->weight, std::nullopt};
    policy = plan::MakePriceAware(std::move(policy), *prices);
  }
  EBB_ASSIGN_OR_RETURN(auto inputs,
                       report::GateInputsFile::Begin(
                           directory.path(), {request, 1, spec.policy, spec.threshold, prices}));
  for (Time now = spec.submitted;;) {
    const Duration horizon = std::max(Duration{0}, *spec.start_by - now) + request.remaining;
    runtime::GateObservation seen{ViewAt(world, now, horizon), now + minutes{60}, ""};
    const core::GateDecision decision = runtime::DecideOn(request, *policy, seen);
    EBB_RETURN_IF_ERROR(inputs.Append(seen.view, seen.next_change, seen.failure));
    EBB_RETURN_IF_ERROR(directory.AppendDecision(decision));
    if (decision.action != core::GateAction::kWait) {
      if (now > spec.submitted)
        EBB_RETURN_IF_ERROR(directory.AppendSkippedWait({{spec.submitted, now}}));
      return decision;
    }
    now = std::max(decision.wake_at, now + Duration{1});
  }
}

// A replayed clock runs at twice the wall's speed, on another day.
Interval ToWall(const core::RunSpec& spec, Interval grid) {
  if (!spec.clock.replayed) return grid;
  const auto wall = [&](Time time) {
    return spec.created_wall + hours{24 * 1000} + (time - spec.submitted) / 2;
  };
  return {wall(grid.begin), wall(grid.end)};
}

struct Device {
  std::string name;
  core::Component component;
  core::EnergySource source;
  double watts;
  bool shared = false;
};

std::vector<Device> Devices(Random& random) {
  using core::Component;
  using core::EnergySource;
  std::vector<Device> devices{
      {"cpu:package-0", Component::kCpu,
       Chance(random, 0.5) ? EnergySource::kCounter : EnergySource::kModel, 65},
      {"ram", Component::kRam, EnergySource::kModel, 6}};
  if (Chance(random, 0.5))
    devices.push_back({"gpu:GPU-0", Component::kGpu,
                       Chance(random, 0.5) ? EnergySource::kCounter : EnergySource::kPowerIntegral,
                       250, Chance(random, 0.3)});
  return devices;
}

Status Measure(report::RunDirectory& directory, const World& world, const core::Attempt& attempt,
               const std::vector<Device>& devices, Duration step, Random& random) {
  for (Time begin = attempt.grid.begin; begin < attempt.grid.end; begin += step) {
    const Interval part{begin, std::min(begin + step, attempt.grid.end)};
    for (const Device& device : devices) {
      const core::EnergyReading reading{
          device.name,
          device.component,
          device.source,
          ToWall(directory.spec(), part),
          Energy::Joules(device.watts * random.Uniform(0.2, 1) * Seconds(part.length())),
          device.shared};
      EBB_RETURN_IF_ERROR(directory.AppendRows(
          core::MakeRows(reading, part, attempt.number, directory.spec().pue, world.believed,
                         world.other ? &*world.other : nullptr)));
    }
  }
  if (!Chance(random, 0.3)) return {};
  const Interval moment{attempt.grid.end, attempt.grid.end};  // energy used at the very end
  const core::EnergyReading last{"ram", core::Component::kRam, core::EnergySource::kModel,
                                 ToWall(directory.spec(), moment), Energy::Joules(1.5)};
  EBB_RETURN_IF_ERROR(
      directory.AppendRows(core::MakeRows(last, moment, attempt.number, directory.spec().pue,
                                          world.believed, world.other ? &*world.other : nullptr)));
  return {};
}

std::string Progress(Interval wall, Random& random) {
  const auto line = [](Time time, const char* event, int epoch) {
    return "{\"time_ms\":" + std::to_string(time.time_since_epoch().count()) + ",\"event\":\"" +
           event + "\",\"epoch\":" + std::to_string(epoch) +
           ",\"train_loss\":0.21,\"test_loss\":NaN,\"test_accuracy_percent\":97.1}\n";
  };
  const Time middle = wall.begin + wall.length() / 2;
  const std::string begin = "{\"time_ms\":1,\"event\":\"" +
                            std::string(random.Below(2) == 0 ? "begin" : "resume") +
                            "\",\"step\":7}\n{\"time_ms\":2,\"event\":\"step\",\"step\":1.5}\n";
  const auto steps = static_cast<std::int64_t>(random.Below(100'000));
  const std::string end = "{\"time_ms\":3,\"event\":\"end\",\"step\":" + std::to_string(steps) +
                          ",\"samples_seen\":" + std::to_string(64 * steps) + "}\n";
  return begin + line(wall.begin, "epoch_begin", 1) + line(middle, "epoch_end", 1) +
         line(middle, "epoch_begin", 2) + line(wall.end, "epoch_end", 2) + end;
}

constexpr const char* kTrainResult =
    R"({"schema":"ebb.train-result/1","model":"simple-cnn","dataset":"digits","device":"cpu","precision":"fp32","batch_size":64,"accumulation_steps":1,"effective_batch_size":64,"epochs":2,"learning_rate":0.001,"seed":1,"threads":2,"steps":200,"final_loss":0.2,"test_loss":0.1,"test_accuracy_percent":97.1,"peak_tensor_bytes":74000000,"avg_epoch_seconds":31.5,"epoch_seconds":[31,32],"samples_per_second":1000.25,"parameters_sha256":"0123abcd","torch_version":"1.13","model_path":"model.pt"}
)";

// Writes attempts with pauses between them; the last may have been killed.
Status RunAttempts(report::RunDirectory& directory, const World& world, Time start, Random& random,
                   const RandomRunOptions& options) {
  const std::vector<Device> devices = Devices(random);
  const int count = Chance(random, 0.3) ? 2 + static_cast<int>(random.Below(3)) : 1;
  const Duration length = Between(random, seconds{30}, hours{3}) / count;
  const Duration step = std::max<Duration>(
      seconds{1}, length * count * static_cast<int>(devices.size()) / options.most_rows);
  const bool log_budget = Chance(random, 0.2);
  Time begin = start;
  for (int number = 1; number <= count; ++number) {
    core::Attempt attempt;
    attempt.number = number;
    attempt.grid = {begin, begin + length};
    attempt.wall = ToWall(directory.spec(), attempt.grid);
    attempt.cpu_utilisation_percent = random.Uniform(0, 100);
    attempt.ram_used_gb = random.Uniform(0, 16);
    attempt.outcome = number < count ? core::AttemptOutcome::kPaused : core::AttemptOutcome::kDone;
    EBB_RETURN_IF_ERROR(directory.BeginAttempt(attempt));
    if (log_budget) {
      core::Budget budget;
      budget.energy = Energy::Joules(1e5);
      budget.emissions = Emissions{10};
      budget.action = core::BudgetAction::kLog;
      EBB_RETURN_IF_ERROR(directory.AppendBudget(budget, number));
    }
    EBB_RETURN_IF_ERROR(Measure(directory, world, attempt, devices, step, random));
    const bool killed = number == count && Chance(random, 0.1);
    if (!killed) EBB_RETURN_IF_ERROR(directory.EndAttempt(attempt));
    if (number == count && Chance(random, 0.5)) {
      EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory.path() / report::kProgressFile,
                                                        Progress(attempt.wall, random)));
      EBB_RETURN_IF_ERROR(
          platform::WriteFileAtomically(directory.path() / report::kTrainResultFile, kTrainResult));
    }
    begin += length + Between(random, seconds{0}, hours{2});
  }
  return {};
}

}  // namespace

// Does the same as cli/run_files at the end of a run.
Status SumUpRun(const std::filesystem::path& directory, Time now) {
  EBB_ASSIGN_OR_RETURN(const core::RunRecord run, report::ReadRun(directory));
  const report::Summary summary = report::Summarise(run);
  EBB_RETURN_IF_ERROR(report::WriteSummaries(directory, run, summary));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory / report::kEmissionsFile,
                                                    report::EmissionsCsv(run, summary)));
  return report::SealRun(directory, now);
}

Status WriteRandomRun(const std::filesystem::path& path, Random& random,
                      const RandomRunOptions& options) {
  World world;
  world.settled = RandomSignal(random, core::SignalKind::kAverage, Chance(random, 0.1),
                               Chance(random, 0.3) ? 0.05 : 0);
  world.believed = Before(world.settled, random);
  if (Chance(random, 0.3))
    world.other = RandomSignal(random, core::SignalKind::kMarginal, false, 0.02);
  if (Chance(random, 0.3)) world.prices = RandomPrices(random);
  const core::RunSpec spec = RandomSpec(random, world);
  EBB_ASSIGN_OR_RETURN(auto directory, report::RunDirectory::Create(path, spec));
  EBB_ASSIGN_OR_RETURN(const core::GateDecision start, Gate(directory, world, spec));
  EBB_RETURN_IF_ERROR(RunAttempts(directory, world, start.at, random, options));
  const Interval around{spec.submitted - hours{6}, kDay + hours{24 * kDays}};
  const Time end = start.at + hours{12};
  EBB_RETURN_IF_ERROR(directory.WriteSignal(world.believed.Slice(around), end, false));
  if (world.prices) EBB_RETURN_IF_ERROR(directory.WritePrices(*world.prices));
  if (*spec.start_by <= spec.submitted && Chance(random, 0.8)) {
    const Duration horizon = Chance(random, 0.5) ? hours{25} : Between(random, {}, hours{25});
    EBB_RETURN_IF_ERROR(report::WriteOutlook(path, ViewAt(world, end, horizon), spec.submitted));
  }
  if (Chance(random, 0.3)) EBB_RETURN_IF_ERROR(SumUpRun(path, end));
  EBB_RETURN_IF_ERROR(
      directory.WriteSignal(world.settled.Slice(around), end + hours{24 * 8}, true));
  return SumUpRun(path, end + hours{24 * 8});
}

}  // namespace ebb
