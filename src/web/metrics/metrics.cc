#include "web/metrics/metrics.h"

#include <algorithm>
#include <optional>
#include <span>

#include "base/exposition.h"

namespace ebb::web {
namespace {

using enum Exposition::Type;
using service::Counters;
using service::JobCard;
using service::View;

constexpr engine::Stage kStages[] = {
    engine::Stage::kWaiting, engine::Stage::kStarting,  engine::Stage::kRunning,
    engine::Stage::kPausing, engine::Stage::kPaused,    engine::Stage::kSucceeded,
    engine::Stage::kFailed,  engine::Stage::kCancelled,
};
constexpr const char* kStates[] = {"measured", "estimated", "forecast", "modelled", "missing"};

std::string Label(std::string_view name, std::string_view value) {
  return ExpositionLabels({{name, value}});
}

class Writer {
 public:
  void Gauge(const char* name, const char* help, double value, const std::string& labels = "") {
    out_.Metric(name, kGauge, help);
    out_.Value(labels, value);
  }
  template <class Number>
  void Count(const char* name, const char* help, Number value) {
    out_.Metric(name, kCounter, help);
    out_.Value("", static_cast<double>(value));
  }
  void Durations(const char* name, const char* help, const service::DurationCounts& durations) {
    out_.Metric(name, kHistogram, help);
    out_.Histogram("", service::DurationCounts::Bounds(), durations.counts, durations.sum_s);
  }
  Exposition& out() { return out_; }

 private:
  Exposition out_;
};

void WriteJobs(const View& view, Writer& writer) {
  Exposition& out = writer.out();
  const auto stages = view.jobs.Totals().stages;
  out.Metric("ebb_jobs", kGauge, "Jobs by stage; of those that have ended, the latest.");
  for (const engine::Stage stage : kStages)
    out.Value(Label("stage", engine::Name(stage)),
              static_cast<double>(stages[static_cast<std::size_t>(stage)]));
  writer.Gauge("ebb_queue_depth", "Jobs that have not ended and hold no devices.",
               static_cast<double>(stages[static_cast<std::size_t>(engine::Stage::kWaiting)] +
                                   stages[static_cast<std::size_t>(engine::Stage::kPaused)]));
  const Counters& counters = view.counters;
  writer.Count("ebb_jobs_submitted_total", "Submissions that were taken.", counters.submitted);
  writer.Count("ebb_jobs_refused_total", "Submissions that were refused: they cannot be met.",
               counters.refused);
  out.Metric("ebb_job_starts_total", kCounter,
             "Starts and resumes of jobs, by the rule that let them begin.");
  for (const auto& [rule, count] : counters.starts)
    out.Value(Label("rule", core::Name(rule)), static_cast<double>(count));
  writer.Count("ebb_job_pauses_total", "Pauses with a checkpoint.", counters.pauses);
  out.Metric("ebb_job_ends_total", kCounter, "Jobs that have ended, by outcome.");
  out.Value(Label("outcome", "succeeded"), static_cast<double>(counters.succeeded));
  out.Value(Label("outcome", "failed"), static_cast<double>(counters.failed));
  out.Value(Label("outcome", "cancelled"), static_cast<double>(counters.cancelled));
  writer.Count("ebb_job_carbon_delays_total", "How often a job began to wait for cleaner power.",
               counters.carbon_delays);
}

void WriteBudgets(const View& view, Writer& writer) {
  if (view.budgets.empty()) return;
  constexpr std::size_t kMost = 200;
  const std::span<const service::BudgetView> budgets =
      std::span(view.budgets).first(std::min(view.budgets.size(), kMost));
  Exposition& out = writer.out();
  const auto of_each = [&](const char* name, const char* help, const auto& value) {
    out.Metric(name, kGauge, help);
    for (const service::BudgetView& budget : budgets)
      if (const std::optional<double> number = value(budget))
        out.Value(Label("namespace", budget.name), *number);
  };
  using Budget = service::BudgetView;
  using Number = std::optional<double>;
  of_each("ebb_namespace_energy_joules", "What the namespace has used in this month, with PUE.",
          [](const Budget& budget) -> Number { return budget.energy.joules(); });
  of_each("ebb_namespace_estimated_joules", "The part of it that nobody measured.",
          [](const Budget& budget) -> Number { return budget.estimated.joules(); });
  of_each("ebb_namespace_emissions_grams", "What the namespace has emitted in this month.",
          [](const Budget& budget) -> Number {
            const bool is_unknown = budget.energy > Energy{} && budget.emissions.grams == 0;
            return is_unknown ? std::nullopt : Number(budget.emissions.grams);
          });
  of_each("ebb_namespace_energy_budget_joules", "Its budget for a month.",
          [](const Budget& budget) -> Number {
            return budget.energy_limit ? Number(budget.energy_limit->joules()) : std::nullopt;
          });
  of_each("ebb_namespace_emissions_budget_grams", "Its budget for a month.",
          [](const Budget& budget) -> Number {
            return budget.emissions_limit ? Number(budget.emissions_limit->grams) : std::nullopt;
          });
  of_each("ebb_namespace_budget_used_up", "1 while the budget holds new jobs back.",
          [](const Budget& budget) -> Number { return budget.why.empty() ? 0 : 1; });
}

void WriteDevices(const View& view, Writer& writer) {
  Exposition& out = writer.out();
  writer.Gauge("ebb_draining",
               "1 while the service drains: what runs ends, and nothing starts (ebb drain).",
               view.drain ? 1 : 0);
  std::vector<std::size_t> busy(view.cluster.pools.size());
  for (const local::SupervisedFigures& program : view.running)
    if (const auto pool = static_cast<std::size_t>(program.pool); pool < busy.size())
      busy[pool] += program.slots.size();
  const auto labels = [&](std::size_t pool) {
    return ExpositionLabels(
        {{"pool", std::to_string(pool)}, {"model", view.cluster.pools[pool].model}});
  };
  out.Metric("ebb_devices", kGauge, "Devices (GPUs or slots) of each pool.");
  for (std::size_t pool = 0; pool < busy.size(); ++pool)
    out.Value(labels(pool), view.cluster.pools[pool].count);
  out.Metric("ebb_devices_away", kGauge,
             "Devices of each pool that are set aside or gone, or whose driver does not answer.");
  for (std::size_t pool = 0; pool < busy.size(); ++pool)
    out.Value(labels(pool), view.cluster.pools[pool].away);
  out.Metric("ebb_devices_busy", kGauge, "Devices that jobs hold.");
  for (std::size_t pool = 0; pool < busy.size(); ++pool)
    out.Value(labels(pool), static_cast<double>(busy[pool]));
}

void WriteEnergy(const View& view, Writer& writer) {
  Exposition& out = writer.out();
  const Counters& counters = view.counters;
  double power_w = 0;
  for (const local::SupervisedFigures& program : view.running)
    power_w += program.figures.power.watts;
  writer.Gauge("ebb_running_power_watts", "Power of all jobs that run, without PUE.", power_w);
  out.Metric("ebb_jobs_energy_joules_total", kCounter,
             "Energy that jobs have used since the service started, without PUE.");
  for (const auto component : {core::Component::kCpu, core::Component::kGpu, core::Component::kRam})
    out.Value(Label("component", core::Name(component)),
              counters.energy[static_cast<std::size_t>(component)].joules());
  writer.Count("ebb_jobs_energy_without_intensity_joules_total",
               "The part of it whose emissions are unknown.",
               counters.energy_without_intensity.joules());
  writer.Count("ebb_jobs_emissions_grams_total", "CO2eq of the rest, PUE included.",
               counters.emissions.grams);
  out.Metric("ebb_machine_energy_joules_total", kCounter,
             "Energy of the machine since the service started, by who used it; without PUE. It is "
             "some minutes behind.");
  out.Value(Label("part", "jobs"), counters.machine.jobs.joules());
  out.Value(Label("part", "idle"), counters.machine.idle.joules());
  out.Value(Label("part", "unattributed"), counters.machine.unattributed.joules());
  writer.Count("ebb_compared_jobs_total",
               "Jobs that have ended and whose emissions at submission are known.",
               counters.compared);
  writer.Count("ebb_compared_emissions_grams_total", "What they emitted.",
               counters.compared_emissions.grams);
  writer.Count("ebb_compared_emissions_at_submission_grams_total",
               "What the same energy would have emitted when they were submitted.",
               counters.compared_at_submission.grams);
  writer.Gauge("ebb_saved_grams", "The difference of both; negative: waiting made it worse.",
               (counters.compared_at_submission - counters.compared_emissions).grams);
  writer.Gauge("ebb_saved_half_width_grams",
               "It is known to this, 95 %, at most: the sum of the jobs' own half widths.",
               counters.compared_half_width_g);
}

void WriteSignals(const View& view, const Health& health, Writer& writer) {
  Exposition& out = writer.out();
  const auto of_each = [&](const char* name, const char* help, const auto& value) {
    out.Metric(name, kGauge, help);
    for (const SignalHealth& signal : health.signals)
      if (const std::optional<double> known = value(signal))
        out.Value(Label("zone", signal.zone), *known);
  };
  const auto seconds = [](const std::optional<Duration>& age) {
    return age ? std::optional(Seconds(*age)) : std::nullopt;
  };
  of_each("ebb_carbon_intensity_grams_per_kwh", "Carbon intensity of the grid now, where known.",
          [](const SignalHealth& signal) {
            return signal.value ? std::optional(signal.value->g_per_kwh) : std::nullopt;
          });
  out.Metric("ebb_signal_state", kGauge,
             "1 for how the value of this moment came about; missing: there is none.");
  for (const SignalHealth& signal : health.signals)
    for (const char* state : kStates)
      out.Value(ExpositionLabels({{"zone", signal.zone}, {"state", state}}), signal.state == state);
  of_each("ebb_signal_value_age_seconds",
          "Since the newest measured or estimated value ended; 0: it holds.",
          [&](const SignalHealth& signal) { return seconds(signal.value_age); });
  of_each("ebb_signal_heard_age_seconds", "Since the source of the signal last answered.",
          [&](const SignalHealth& signal) { return seconds(signal.heard_age); });
  of_each(
      "ebb_signal_lost", "1 while the source cannot be reached.",
      [](const SignalHealth& signal) { return std::optional(signal.lost.empty() ? 0.0 : 1.0); });
  writer.Count("ebb_signal_losses_total", "Questions to the signal that failed.",
               view.counters.signal_losses);
}

void WriteService(const View& view, const Health& health, const MetricsOptions& options,
                  Writer& writer) {
  Exposition& out = writer.out();
  const Counters& counters = view.counters;
  writer.Count("ebb_decisions_total", "Decisions of the engine.", counters.decisions);
  writer.Durations("ebb_planning_seconds", "How long the policy planned, per decision.",
                   counters.planning);
  writer.Durations("ebb_store_write_seconds", "How long a decision took to be durable.",
                   counters.store_writes);
  writer.Count("ebb_store_write_errors_total", "Writes to the store that failed.",
               counters.store_write_errors);
  writer.Gauge("ebb_executor_programs", "Programs that run.", static_cast<double>(health.running));
  writer.Count("ebb_executor_failed_starts_total",
               "Attempts that could not be started, whatever their command.",
               counters.failed_starts);
  writer.Gauge("ebb_executor_last_look_seconds",
               "Since the service last looked at what runs, or had something to decide.",
               std::chrono::duration<double>(health.last_look).count());
  out.Metric("ebb_degraded", kGauge, "1 while a part of the service does not do what it should.");
  out.Value(Label("part", "store"), !health.store.empty());
  out.Value(Label("part", "signal"), health.SignalIsDegraded());
  out.Value(Label("part", "executor"), health.ExecutorIsDegraded());
  writer.Gauge("ebb_ready", "1 while /readyz says that jobs can be taken, started and stored.",
               health.Ready());
  writer.Gauge("ebb_build_info", "Always 1; the label says what runs.", 1,
               Label("version", options.version));
}

void WriteNotifications(const WebhookCounts& counts, Writer& writer) {
  Exposition& out = writer.out();
  out.Metric("ebb_notifications_total", kCounter,
             "Texts to webhooks; failed: given up, dropped: the queue was full.");
  out.Value(Label("result", "sent"), static_cast<double>(counts.sent));
  out.Value(Label("result", "failed"), static_cast<double>(counts.failed));
  out.Value(Label("result", "dropped"), static_cast<double>(counts.dropped));
  writer.Gauge("ebb_notifications_waiting", "Texts that are on their way.",
               static_cast<double>(counts.waiting));
}

// The metrics of one unit of work. A job whose program does not report that unit has none.
template <typename OfEach>
void WriteEachUnit(core::WorkUnit unit, const OfEach& of_each) {
  const std::string one(core::Name(unit));
  const auto of_unit = [unit](const MeteredJob& job, auto value) -> std::optional<double> {
    for (const core::UnitUse& use : job.card->per_unit())
      if (use.unit == unit) return value(use);
    return std::nullopt;
  };
  const auto number = [](auto value) { return std::optional(static_cast<double>(value)); };
  of_each(("ebb_job_" + one + "s_total").c_str(), kCounter,
          ("Work that was done, in " + one + "s; what was repeated counts once.").c_str(),
          [&](const MeteredJob& job) {
            return of_unit(job, [&](const core::UnitUse& use) { return number(use.count); });
          });
  of_each(("ebb_job_energy_per_" + one + "_joules").c_str(), kGauge,
          ("Energy of all attempts per " + one + ", without PUE.").c_str(),
          [&](const MeteredJob& job) {
            return of_unit(job, [&](const core::UnitUse& use) { return number(use.joules); });
          });
  of_each(("ebb_job_emissions_per_" + one + "_grams").c_str(), kGauge,
          ("CO2eq of all attempts per " + one + ", PUE included, where all is known.").c_str(),
          [&](const MeteredJob& job) {
            return of_unit(job, [](const core::UnitUse& use) { return use.grams; });
          });
}

void WriteEachJob(const MeteredJobs& metered, Writer& writer) {
  Exposition& out = writer.out();
  const auto of_each = [&](const char* name, Exposition::Type type, const char* help,
                           const auto& value) {
    out.Metric(name, type, help);
    for (const MeteredJob& job : metered.jobs)
      if (const std::optional<double> known = value(job))
        out.Value(ExpositionLabels({{"job_id", std::to_string(job.card->submission->job.id)},
                                    {"name", job.card->submission->job.name}}),
                  *known);
  };
  const auto grams = [](const std::optional<Emissions>& emissions) {
    return emissions ? std::optional(emissions->grams) : std::nullopt;
  };
  of_each("ebb_job_running", kGauge, "1 while the job runs, 0 for a while after its end.",
          [](const MeteredJob& job) { return std::optional(job.running ? 1.0 : 0.0); });
  of_each("ebb_job_power_watts", kGauge, "Latest power of a job that runs, without PUE.",
          [](const MeteredJob& job) {
            return job.running ? std::optional(job.running->figures.power.watts) : std::nullopt;
          });
  of_each("ebb_job_energy_joules_total", kCounter, "Energy of all its attempts, without PUE.",
          [](const MeteredJob& job) { return std::optional(job.card->energy.joules()); });
  of_each("ebb_job_emissions_grams_total", kCounter, "CO2eq, PUE included, where known.",
          [&](const MeteredJob& job) { return grams(job.card->emissions); });
  of_each("ebb_job_emissions_at_submission_grams", kGauge,
          "Of the same energy, had it run when it was submitted; once it has ended.",
          [&](const MeteredJob& job) { return grams(job.card->emissions_at_submission); });
  for (const core::WorkUnit unit : core::kWorkUnits) WriteEachUnit(unit, of_each);
  writer.Gauge("ebb_job_series_left_out",
               "Jobs that run or ended lately and have no series: there are too many.",
               static_cast<double>(metered.left_out));
}

}  // namespace

MeteredJobs MeteredJobsOf(const View& view, Time now, const MetricsOptions& options) {
  MeteredJobs metered;
  for (const local::SupervisedFigures& program : view.running)
    if (const JobCard* card = view.jobs.Find(program.job); card && program.is_measured)
      metered.jobs.push_back({card, &program});
  const std::size_t running = metered.jobs.size();
  view.jobs.ForEach(0, [&](const JobCard& card) {
    if (card.ended && now - *card.ended < options.retention) metered.jobs.push_back({&card});
    return true;
  });
  std::stable_sort(
      metered.jobs.begin() + static_cast<std::ptrdiff_t>(running), metered.jobs.end(),
      [](const MeteredJob& a, const MeteredJob& b) { return *a.card->ended > *b.card->ended; });
  if (metered.jobs.size() > options.most_jobs) {
    metered.left_out = metered.jobs.size() - options.most_jobs;
    metered.jobs.resize(options.most_jobs);
  }
  return metered;
}

std::string MetricsText(const View& view, const Health& health, Time now,
                        const MetricsOptions& options, const WebhookCounts& notifications) {
  Writer writer;
  WriteJobs(view, writer);
  WriteBudgets(view, writer);
  WriteDevices(view, writer);
  WriteEnergy(view, writer);
  WriteSignals(view, health, writer);
  WriteService(view, health, options, writer);
  WriteNotifications(notifications, writer);
  WriteEachJob(MeteredJobsOf(view, now, options), writer);
  return writer.out().Take();
}

}  // namespace ebb::web
