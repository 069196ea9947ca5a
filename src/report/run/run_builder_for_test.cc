#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using std::chrono::hours;

core::RunSpec Spec(const RunBuilder& b) {
  core::RunSpec spec;
  spec.run_id = b.group + "-seed" + std::to_string(b.seed);
  spec.name = b.group;
  spec.group = b.group;
  spec.command = {"ebb-train", "--seed", std::to_string(b.seed)};
  spec.created_wall = kMidnight + b.submitted;
  spec.policy = b.policy;
  if (b.policy == "threshold") spec.threshold = Intensity{200};
  spec.submitted = kMidnight + b.submitted;
  spec.start_by = spec.submitted + (b.policy == "now" ? hours(0) : hours(24));
  spec.duration = b.running;
  spec.clock.replayed = b.replayed;
  spec.clock.skip_waits = b.replayed;
  if (b.replayed) spec.clock.begin = spec.submitted;
  spec.signal = {"US-CAL-CISO", core::SignalKind::kAverage, core::Boundary::kLifecycle,
                 "replay test.csv"};
  spec.meters = {"cpu: model, TDP 1000 W", "ram: model, 200 W"};
  spec.machine = {"host", "Linux-6.1.0-x86_64", "Test CPU", 2, 16, {}, {}};
  if (b.trains)
    spec.training =
        core::TrainingSettings{"simple-cnn", "digits", b.batch_size, b.accumulation_steps, 2, 1e-3,
                               b.precision,  b.seed,   "model.pt"};
  return spec;
}

core::IntensitySeries Signal(const RunBuilder& b, core::SignalIdentity identity) {
  std::vector<core::Sample> samples;
  for (std::size_t hour = 0; hour < b.intensity_by_hour.size(); ++hour) {
    const Time begin = kMidnight + hours(hour);
    samples.push_back({{begin, begin + hours(1)}, Intensity{b.intensity_by_hour[hour]}});
  }
  return *core::IntensitySeries::Create(std::move(identity), std::move(samples));
}

void AddDecisions(const RunBuilder& b, core::RunRecord& run) {
  core::GateDecision decision;
  decision.at = run.spec.submitted;
  decision.reason.latest = *run.spec.start_by;
  decision.reason.threshold = run.spec.threshold;
  if (const core::Sample* now = run.signal.At(decision.at))
    decision.reason.current = now->intensity;
  const Time start = decision.at + b.waited;
  if (b.waited > Duration{0}) {
    decision.action = core::GateAction::kWait;
    decision.reason.rule = core::GateRule::kAboveThreshold;
    decision.recorded_reason = "above the threshold";
    decision.reason.start = start;
    decision.wake_at = start;
    run.decisions.push_back(decision);
    if (b.replayed) run.skipped_waits.push_back({{decision.at, start}});
  }
  decision.at = start;
  decision.action = core::GateAction::kStart;
  decision.reason.rule =
      b.waited > Duration{0} ? core::GateRule::kBelowThreshold : core::GateRule::kRunNow;
  decision.recorded_reason =
      b.waited > Duration{0} ? "at or below the threshold" : "the policy is now";
  decision.reason.start.reset();
  decision.wake_at = {};
  if (const core::Sample* now = run.signal.At(start)) decision.reason.current = now->intensity;
  run.decisions.push_back(decision);
}

void AddLedger(const RunBuilder& b, core::RunRecord& run, Interval span) {
  const Duration step{60'000};
  for (Time begin = span.begin; begin < span.end; begin += step) {
    const Interval part{begin, std::min(begin + step, span.end)};
    const double seconds = Seconds(part.length());
    const auto add = [&](const char* device, core::Component component, double watts) {
      const core::EnergyReading reading{device, component, core::EnergySource::kModel, part,
                                        Energy::Joules(watts * seconds * b.power_factor)};
      for (const core::LedgerRow& row : core::MakeRows(reading, part, 1, run.spec.pue, run.signal))
        run.ledger.push_back(row);
    };
    add("cpu", core::Component::kCpu, 1000);
    add("ram", core::Component::kRam, 200);
  }
}

void AddTraining(const RunBuilder& b, core::RunRecord& run, Interval span) {
  const Time middle = span.begin + span.length() / 2;
  run.epochs.push_back({1, {span.begin, middle}, 0.5, 0.3, b.test_accuracy_percent - 2});
  run.epochs.push_back({2, {middle, span.end}, 0.2, 0.1, b.test_accuracy_percent});
  core::TrainingOutcome outcome;
  outcome.final_loss = 0.2;
  outcome.test_loss = 0.1;
  outcome.test_accuracy_percent = b.test_accuracy_percent;
  outcome.peak_tensor_bytes = b.peak_tensor_bytes;
  outcome.average_epoch_seconds = Seconds(span.length()) / 2;
  outcome.samples_per_second = 1000;
  outcome.device = "cpu";
  outcome.parameters_sha256 = "0123abcd";
  run.training = outcome;
}

}  // namespace

core::RunRecord RunBuilder::Build() const {
  core::RunRecord run;
  run.spec = Spec(*this);
  run.signal = Signal(*this, run.spec.signal);
  AddDecisions(*this, run);
  const Time start = run.spec.submitted + waited;
  const Interval span{start, start + running};
  core::Attempt attempt;
  attempt.wall = attempt.grid = span;
  attempt.outcome = core::AttemptOutcome::kDone;
  attempt.cpu_utilisation_percent = 87.5;
  attempt.ram_used_gb = 1.5;
  run.attempts.push_back(attempt);
  AddLedger(*this, run, span);
  if (trains) AddTraining(*this, run, span);
  run.work = work;
  return run;
}

}  // namespace ebb::report
