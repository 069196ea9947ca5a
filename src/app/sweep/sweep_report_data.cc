#include "app/sweep/sweep_report_data.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/jobs/stored_run.h"
#include "app/run/run_files.h"
#include "app/slurm/job_runs.h"
#include "app/sweep/sweep_budgets.h"
#include "base/field_text.h"
#include "base/text.h"
#include "config/sweep/sweep_config.h"
#include "local/files/attempt_files.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "platform/system_clock.h"
#include "report/run/epoch_losses.h"
#include "report/run/ledger_file.h"
#include "report/run/run_directory.h"
#include "report/run/summary.h"
#include "service/sweeps/sweep_facts.h"
#include "store/accounts/machine_records.h"
#include "store/accounts/signal_records.h"
#include "store/store_clock.h"
#include "web/live/saved_sweep.h"

namespace ebb::app {
namespace {

using report::SweepOutcome;
using report::SweepRow;

// An experiment that an earlier version stopped early: a line of stopped.jsonl.
struct Stopped {
  std::string name, why;
  double saved_kwh = 0, saved_g = 0;
};

void Visit(FieldReader& archive, Stopped& value) {
  archive.Maybe("name", value.name);
  archive.Maybe("why", value.why);
  archive.Maybe("estimated_saved_kwh", value.saved_kwh);
  archive.Maybe("estimated_saved_g", value.saved_g);
}

// The stopped experiments by name. Lines that cannot be read are ignored, because a crash may leave
// one.
std::map<std::string, Stopped> ReadStopped(const std::filesystem::path& file) {
  std::map<std::string, Stopped> stopped;
  const auto text = platform::ReadFile(file);
  if (!text) return stopped;
  for (const std::string_view line : Split(*text, '\n'))
    if (const auto read = FromFieldText<Stopped>(line, "", FieldStyle::kComplete))
      stopped[read->name] = *read;
  return stopped;
}

SweepOutcome OutcomeOf(const core::RunRecord& record) {
  if (record.attempts.empty()) return SweepOutcome::kNotRun;
  switch (record.attempts.back().outcome) {
    case core::AttemptOutcome::kDone:
      return SweepOutcome::kDone;
    case core::AttemptOutcome::kPaused:
    case core::AttemptOutcome::kRunning:
      return SweepOutcome::kPaused;
    default:
      return SweepOutcome::kFailed;
  }
}

void SetLoss(const core::RunRecord& record, SweepRow& row) {
  row.epochs = static_cast<int>(record.epochs.size());
  for (const core::Epoch& epoch : record.epochs) {
    row.loss_is_validation = epoch.test_loss.has_value();
    row.loss = epoch.test_loss ? epoch.test_loss : epoch.train_loss;
  }
  if (record.training && record.epochs.empty()) row.loss = record.training->test_loss;
}

// An attempt that was killed together with Ebb has no outcome that shows it.
void SetBudgetNote(const core::RunRecord& record, SweepRow& row) {
  if (row.outcome == SweepOutcome::kDone || !record.budget.budget) return;
  const core::Budget& budget = *record.budget.budget;
  if (const core::BudgetEvent* stopped = core::StoppedBy(record.budget, budget)) {
    row.outcome = SweepOutcome::kFailed;
    row.note = "stopped by its budget of " + core::LimitText(*stopped);
  } else if (const core::BudgetEvent* held = HeldBy(record.budget.events, budget)) {
    row.note = "held by its budget of " + core::LimitText(*held);
  }
}

void SetFigures(const core::RunRecord& record, SweepRow& row) {
  const report::Summary summary = report::Summarise(record);
  row.outcome = OutcomeOf(record);
  row.attempts = summary.attempts;
  row.energy = summary.totals.energy;
  row.work = record.work;
  if (summary.totals.energy_without_intensity == Energy{} && summary.attempts > 0)
    row.emissions = summary.totals.emissions;
  row.waited = summary.waited;
  row.ran = summary.running_time;
  SetLoss(record, row);
  if (row.outcome == SweepOutcome::kFailed)
    row.note = "exit code " + std::to_string(record.attempts.back().exit_code) + ", see attempt-" +
               std::to_string(record.attempts.back().number) + ".log";
  SetBudgetNote(record, row);
}

// The figures of an experiment that ran in Slurm: of all its attempts on all its nodes.
void SetFiguresOfSlurm(const std::vector<report::JobRun>& runs, SweepRow& row) {
  const report::JobEnergy job = report::EnergyOf(row.name, runs);
  row.energy = job.total.energy;
  row.ran = job.total.ran;
  if (job.total.without_intensity == Energy{})
    row.emissions = Emissions{static_cast<double>(job.total.emissions_ug) / 1e6};
  for (const report::JobRun& one : runs) row.attempts = std::max(row.attempts, one.attempt);
  row.outcome = SweepOutcome::kDone;
  for (const report::JobRun& one : runs) {
    if (!one.run.epochs.empty() || one.run.training) SetLoss(one.run, row);
    if (one.attempt < row.attempts) continue;
    const SweepOutcome outcome = OutcomeOf(one.run);
    if (outcome != SweepOutcome::kDone && row.outcome != SweepOutcome::kFailed)
      row.outcome = outcome;
    if (outcome == SweepOutcome::kFailed)
      row.note = "exit code " + std::to_string(one.run.attempts.back().exit_code) + " on " +
                 one.node + " in attempt " + std::to_string(one.attempt);
  }
}

void AddRow(const core::LedgerRow& row, Energy& energy, std::optional<Emissions>& emissions) {
  energy += row.energy;
  const auto grams = row.emissions();
  if (!grams)
    emissions.reset();
  else if (emissions)
    *emissions += *grams;
}

void SetMachine(const std::filesystem::path& file, report::SweepReport& report,
                std::set<std::string>& notices) {
  const auto text = platform::ReadFile(file);
  if (!text) return;
  int damaged = 0;
  report::SweepMachine machine;
  machine.idle_emissions = machine.unattributed_emissions = Emissions{};
  for (const core::LedgerRow& row : report::ParseLedger(*text, damaged)) {
    if (row.device.starts_with("idle:"))
      AddRow(row, machine.idle, machine.idle_emissions);
    else
      AddRow(row, machine.unattributed, machine.unattributed_emissions);
  }
  if (damaged > 0)
    notices.insert(file.string() + ": " + std::to_string(damaged) +
                   " damaged lines were left out (a crash may leave one)");
  report.machine = machine;
}

// Adds a notice on the experiments that are left of a sweep that its budget stopped.
void AddBudgetNotice(const core::BudgetRecord& record, const report::SweepReport& report,
                     std::set<std::string>& notices) {
  const auto left = std::count_if(report.rows.begin(), report.rows.end(),
                                  [](const SweepRow& row) { return !IsOver(row.outcome); });
  const core::BudgetEvent* stopped =
      record.budget ? core::StoppedBy(record, *record.budget) : nullptr;
  if (stopped && left > 0)
    notices.insert("The sweep was stopped by its budget of " + core::LimitText(*stopped) + "; " +
                   std::to_string(left) + " of " + std::to_string(report.rows.size()) +
                   " experiments had not ended.");
}

}  // namespace

namespace {

// The report of a sweep that an earlier version ran, from its files.
Result<report::SweepReport> ReportOfFiles(const SweepPaths& paths) {
  EBB_ASSIGN_OR_RETURN(const config::SweepConfig config,
                       config::LoadSweepConfig(paths.sweep_file().string()));
  const auto stopped = ReadStopped(paths.stopped());
  report::SweepReport report;
  report.name = config.sweep.name;
  std::set<std::string> notices;
  for (const sweep::Experiment& experiment : config.sweep.experiments) {
    SweepRow row;
    row.name = experiment.name;
    row.tier = config.sweep.TierOf(experiment).name;
    row.parameters = sweep::ParametersOf(experiment);
    const auto run = paths.RunOf(experiment.name);
    if (report::HoldsRun(run)) {
      const auto record = report::ReadRun(run);
      if (record) {
        SetFigures(*record, row);
        if (const auto step = report::DivergedAt(run / report::kProgressFile))
          report::SayDiverged(row, *step);
        else
          report::SayNotices(row, report::TrainNotices(run));
        for (const std::string& notice : report::ReplayNotices(*record)) notices.insert(notice);
        if (record->spec.clock.skip_waits)
          notices.insert("Waits in which nothing ran were jumped over on the grid clock.");
      } else {
        row.outcome = SweepOutcome::kFailed;
        row.note = record.error().Message();
      }
    } else if (platform::IsDirectory(run)) {
      std::vector<std::string> of_runs;
      if (const auto runs = ReadJobRuns(run, of_runs)) SetFiguresOfSlurm(*runs, row);
      notices.insert(of_runs.begin(), of_runs.end());
    }
    const auto early = stopped.find(experiment.name);
    if (early != stopped.end() && row.outcome != SweepOutcome::kDone) {
      row.outcome = SweepOutcome::kStoppedEarly;
      row.note = early->second.why;
      ++report.stopped_early;
      report.saved_energy += Energy::Joules(early->second.saved_kwh * 3.6e6);
      report.saved_emissions += {early->second.saved_g};
    }
    report.energy += row.energy;
    if (row.emissions) report.emissions += *row.emissions;
    report.rows.push_back(std::move(row));
  }
  EBB_ASSIGN_OR_RETURN(const core::BudgetRecord budget, ReadSweepBudget(paths));
  AddBudgetNotice(budget, report, notices);
  SetMachine(paths.machine(), report, notices);
  report.notices.assign(notices.begin(), notices.end());
  report::Rank(report);
  return report;
}

// Notes why the job ended or does not continue.
void SetBudgetNote(const SweepPaths& paths, const core::Submission& submission, SweepRow& row) {
  const core::BudgetRecord record{
      submission.budget,
      local::ReadBudgetEvents(paths.JobsDirectory() / std::to_string(submission.job.id))};
  if (row.outcome == SweepOutcome::kFailed) {
    if (const core::BudgetEvent* stopped = core::StoppedBy(record, submission.budget))
      row.note = "stopped by its budget of " + core::LimitText(*stopped);
  } else if (!IsOver(row.outcome)) {
    if (const core::BudgetEvent* held = HeldBy(record.events, submission.budget))
      row.note = "held by its budget of " + core::LimitText(*held);
  }
}

// On a replayed clock, the intensity of hours of the wall clock is unknown.
Result<report::SweepMachine> MachineOf(store::Database& database, Pue pue) {
  report::SweepMachine machine;
  EBB_ASSIGN_OR_RETURN(const bool replayed, store::IsReplayed(database));
  EBB_ASSIGN_OR_RETURN(const auto hours, store::MachineHours(database, {Time::min(), Time::max()}));
  core::IntensitySeries signal;
  if (!hours.empty() && !replayed) {
    EBB_ASSIGN_OR_RETURN(const core::SignalIdentity identity, store::LatestSignal(database));
    EBB_ASSIGN_OR_RETURN(signal, store::SignalHistory(database, identity,
                                                      {hours.front().shares.wall.begin,
                                                       hours.back().shares.wall.end}));
    machine.idle_emissions = machine.unattributed_emissions = Emissions{};
  }
  const auto add = [&](Energy energy, const store::MachineHour& hour, Energy& sum,
                       std::optional<Emissions>& emissions) {
    sum += energy;
    const auto mean = signal.Mean(hour.shares.wall);
    if (!mean || !emissions)
      emissions.reset();
    else
      *emissions += EmissionsOf(energy, pue, mean->intensity);
  };
  for (const store::MachineHour& hour : hours) {
    add(hour.shares.idle, hour, machine.idle, machine.idle_emissions);
    add(hour.shares.unattributed, hour, machine.unattributed, machine.unattributed_emissions);
  }
  return machine;
}

Status AddNotices(store::Database& database, const core::SweepId sweep,
                  report::SweepReport& report) {
  std::set<std::string> notices;
  for (const SweepRow& row : report.rows) {
    if (row.energy == Energy{} || !row.job) continue;
    EBB_ASSIGN_OR_RETURN(const core::RunRecord run, StoredRun(database, *row.job));
    for (const std::string& notice : report::ReplayNotices(run)) notices.insert(notice);
    if (run.spec.clock.skip_waits)
      notices.insert("Waits in which nothing ran were jumped over on the grid clock.");
    break;  // all jobs have the same
  }
  EBB_ASSIGN_OR_RETURN(const auto record, store::FindSweep(database, sweep));
  EBB_ASSIGN_OR_RETURN(auto events, store::SweepBudgetEventsOf(database, sweep));
  AddBudgetNotice({record->budget, std::move(events)}, report, notices);
  report.notices.assign(notices.begin(), notices.end());
  return {};
}

// Adds experiments without a job: they were refused, or not submitted yet. The same command submits
// them again.
Status AddThoseWithoutAJob(const SweepPaths& paths, report::SweepReport& report) {
  EBB_ASSIGN_OR_RETURN(const config::SweepConfig config,
                       config::LoadSweepConfig(paths.sweep_file().string()));
  report.name = config.sweep.name;
  std::set<std::string> taken;
  for (const SweepRow& row : report.rows) taken.insert(row.name);
  for (const sweep::Experiment& experiment : config.sweep.experiments) {
    if (taken.contains(experiment.name)) continue;
    SweepRow row;
    row.name = experiment.name;
    row.tier = config.sweep.TierOf(experiment).name;
    row.parameters = sweep::ParametersOf(experiment);
    row.note = "was not taken";
    report.rows.push_back(std::move(row));
  }
  return {};
}

Result<report::SweepReport> ReportOfStore(const SweepPaths& paths) {
  EBB_ASSIGN_OR_RETURN(store::Database database,
                       store::Database::Open(paths.store(), store::Database::Mode::kRead));
  EBB_ASSIGN_OR_RETURN(const auto sweeps, store::ListSweeps(database, {}));
  report::SweepReport none;
  if (sweeps.empty()) {
    EBB_RETURN_IF_ERROR(AddThoseWithoutAJob(paths, none));
    return none;
  }
  const core::SweepId id = sweeps.front().id;
  EBB_ASSIGN_OR_RETURN(const Time now, store::TimeOfStore(database, platform::WallNow()));
  EBB_ASSIGN_OR_RETURN(auto facts, service::ReadSweepFacts(database, id, now));
  for (auto& [job, attempts] : facts->attempts)
    if (attempts.ran) {
      EBB_ASSIGN_OR_RETURN(attempts.ran, store::OnWall(database, *attempts.ran));
    }
  service::ReadLosses(*facts,
                      [&](core::JobId job) { return paths.JobsDirectory() / std::to_string(job); });
  report::SweepReport report = service::SweepReportOf(*facts);
  report.number.reset();  // the only sweep of its store needs no number
  for (SweepRow& row : report.rows) {
    if (row.attempts == 0 && !IsOver(row.outcome)) row.outcome = SweepOutcome::kNotRun;
    EBB_ASSIGN_OR_RETURN(const auto submission, store::FindSubmission(database, *row.job));
    if (submission && !submission->budget.empty()) SetBudgetNote(paths, *submission, row);
  }
  EBB_RETURN_IF_ERROR(AddThoseWithoutAJob(paths, report));
  EBB_RETURN_IF_ERROR(AddNotices(database, id, report));
  const auto options = ReadOptions(paths.directory);
  EBB_ASSIGN_OR_RETURN(report.machine,
                       MachineOf(database, options ? options->metering.pue : Pue{}));
  report::Rank(report);
  return report;
}

}  // namespace

Result<report::SweepReport> ReadSweepReport(const std::filesystem::path& directory) {
  const SweepPaths paths{directory};
  std::error_code ignored;
  if (!std::filesystem::exists(paths.sweep_file(), ignored))
    return Fail({ExitCode::kUsage, "is not the directory of a sweep", directory.string(),
                 "give the directory that `ebb sweep run` printed, or its sweep file"});
  return std::filesystem::exists(paths.store(), ignored) ? ReportOfStore(paths)
                                                         : ReportOfFiles(paths);
}

std::string SweepPage(const std::filesystem::path& directory, const report::SweepReport& report) {
  const SweepPaths paths{directory};
  return web::SavedSweepPage(
      report, [&](const SweepRow& row) { return paths.RunOf(row.name) / report::kProgressFile; });
}

}  // namespace ebb::app
