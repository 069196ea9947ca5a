#include "cli/sweep_records.h"

#include <algorithm>

#include "cli/run_files.h"
#include "report/ledger_file.h"
#include "sweep/target_name.h"

namespace ebb::cli {

std::filesystem::path SweepPaths::RunOf(const sweep::Experiment& experiment) const {
  return directory / "runs" / sweep::FileName(experiment.name);
}

SweepRecords::SweepRecords(SweepPaths paths, const sweep::Sweep& sweep, Common common,
                           Surroundings surroundings, Say say, Listener listener)
    : paths_(std::move(paths)),
      sweep_(sweep),
      common_(std::move(common)),
      surroundings_(surroundings),
      say_(std::move(say)),
      listener_(std::move(listener)) {
  std::error_code ignored;
  if (common_.tracking.mlflow.empty()) return;
  for (const sweep::Experiment& experiment : sweep_.experiments)
    if (std::filesystem::exists(MlflowNoteIn(paths_.RunOf(experiment)), ignored))
      paused_.insert(experiment.index);
}

const sweep::Experiment& SweepRecords::ExperimentOf(core::JobId job) const {
  return sweep_.experiments[static_cast<std::size_t>(job - 1)];
}

core::RunSpec SweepRecords::SpecFor(const sweep::Experiment& experiment) const {
  core::RunSpec spec = common_.spec;
  const sweep::Tier& tier = sweep_.TierOf(experiment);
  spec.name = experiment.name;
  spec.run_id = sweep_.name + "-" + sweep::FileName(experiment.name);
  spec.group = sweep_.name;
  spec.command = experiment.command;
  spec.threshold = tier.threshold;
  spec.start_by = spec.submitted + tier.max_delay;
  spec.estimated_run_time = experiment.run_time;
  return spec;
}

Status SweepRecords::Begin(core::JobId job, const core::Attempt& attempt) {
  const sweep::Experiment& experiment = ExperimentOf(job);
  const std::filesystem::path path = paths_.RunOf(experiment);
  auto directory = report::HoldsRun(path) ? report::RunDirectory::Open(path)
                                          : report::RunDirectory::Create(path, SpecFor(experiment));
  if (!directory) return Fail(directory.error());
  for (const std::string& notice : directory->notices()) say_(experiment.name + ": " + notice);
  Open open{*std::move(directory), nullptr, nullptr};
  if (!common_.tracking.empty()) EBB_RETURN_IF_ERROR(Track(attempt, open));
  paused_.erase(job);
  EBB_RETURN_IF_ERROR(open.directory.BeginAttempt(attempt));
  if (const core::Budget& budget = common_.budget; !budget.empty())
    EBB_RETURN_IF_ERROR(open.directory.AppendBudget(budget, attempt.number));
  open_.insert_or_assign(job, std::move(open));
  return {};
}

// The program has only just been started: it has written nothing yet.
Status SweepRecords::Track(const core::Attempt& attempt, Open& open) {
  const std::filesystem::path& path = open.directory.path();
  EBB_ASSIGN_OR_RETURN(const core::RunRecord before, report::ReadRun(path));
  open.tail = std::make_unique<report::ProgressTail>(path / report::kProgressFile);
  core::RunSpec spec = open.directory.spec();
  // Another sweep of this name, in another directory, has other runs.
  spec.run_id += "-" + FormatTime(spec.created_wall);
  std::erase(spec.run_id, ':');
  open.trackers = std::make_unique<RunTrackers>(common_.tracking, spec, before, path);
  open.trackers->OnBegin(attempt);
  return {};
}

void SweepRecords::SayNotes(RunTrackers& trackers) {
  for (const std::string& note : trackers.TakeNotes()) say_("note: " + note);
}

void SweepRecords::Tick() {
  for (auto& [job, open] : open_) {
    if (!open.trackers) continue;
    open.trackers->OnProgress(open.tail->Poll());
    SayNotes(*open.trackers);
  }
  std::erase_if(ending_, [&](const Ending& ending) {
    SayNotes(*ending.trackers);
    return ending.trackers->HasEnded();
  });
}

void SweepRecords::CloseEnded(const std::map<core::JobId, engine::EndedJob>& ended) {
  std::erase_if(paused_, [&](core::JobId job) {
    const auto found = ended.find(job);
    // Whatever is on its way is heard first.
    const bool waits =
        open_.contains(job) || std::any_of(ending_.begin(), ending_.end(),
                                           [&](const Ending& ending) { return ending.job == job; });
    if (found == ended.end() || waits) return false;
    if (found->second.stage == engine::Stage::kSucceeded) return true;
    const std::filesystem::path path = paths_.RunOf(ExperimentOf(job));
    const auto run = report::ReadRun(path);
    const auto last = run && !run->attempts.empty() ? run->attempts.back().outcome
                                                    : core::AttemptOutcome::kRunning;
    ending_.push_back(
        {job, RunTrackers::EndingPaused(common_.tracking, path, EndOf(found->second.stage, last))});
    return true;
  });
}

void SweepRecords::WaitForTrackers() {
  for (const Ending& ending : ending_) {
    ending.trackers->WaitForEnd();
    SayNotes(*ending.trackers);
  }
  ending_.clear();
}

Status SweepRecords::Rows(core::JobId job, std::span<const core::LedgerRow> rows) {
  const auto found = open_.find(job);
  if (found == open_.end()) return {};
  EBB_RETURN_IF_ERROR(found->second.directory.AppendRows(rows));
  listener_.rows(rows);
  if (found->second.trackers) found->second.trackers->OnRows(rows);
  return {};
}

Result<std::optional<runtime::BudgetWatch::Terms>> SweepRecords::BudgetOf(core::JobId job) const {
  runtime::BudgetWatch::Terms terms;
  terms.budget = common_.budget;
  if (terms.budget.empty()) return std::optional<runtime::BudgetWatch::Terms>();
  const std::filesystem::path path = paths_.RunOf(ExperimentOf(job));
  if (report::HoldsRun(path)) {
    EBB_ASSIGN_OR_RETURN(const core::RunRecord record, report::ReadRun(path));
    terms.used_before = core::UseOf(record.ledger);
    terms.fired = record.budget.events;
  }
  return std::optional(std::move(terms));
}

void SweepRecords::OnBudget(core::JobId job, const core::BudgetEvent& event) {
  const std::string& name = ExperimentOf(job).name;
  say_(name + ": " + core::BudgetText(event));
  if (const auto found = open_.find(job); found != open_.end())
    if (const Status kept = found->second.directory.AppendBudgetEvent(event); !kept)
      say_("note: " + name + ": budget event not stored: " + kept.error().Message());
  if (event.level == core::BudgetLevel::kReached && event.action == core::BudgetAction::kPause)
    listener_.hold(job);
}

Status SweepRecords::MachineRows(std::span<const core::LedgerRow> rows) {
  if (!machine_) {
    EBB_ASSIGN_OR_RETURN(machine_, platform::LineWriter::Open(paths_.machine()));
  }
  for (const core::LedgerRow& row : rows)
    EBB_RETURN_IF_ERROR(machine_->Append(report::FormatLedgerLine(row)));
  return {};
}

Status SweepRecords::StoreEnd(core::JobId job, Open& open, const local::AttemptResult& result) {
  report::RunDirectory& directory = open.directory;
  EBB_RETURN_IF_ERROR(directory.EndAttempt(result.attempt));
  EBB_RETURN_IF_ERROR(StoreSignal(directory, surroundings_.feed));
  if (surroundings_.prices) EBB_RETURN_IF_ERROR(StorePrices(directory, *surroundings_.prices));
  EBB_ASSIGN_OR_RETURN(const RunViews views, WriteViews(directory.path()));
  for (const std::string& notice : views.notices) say_(notice);
  if (!open.trackers) return {};
  open.trackers->OnProgress(open.tail->Poll());
  open.trackers->OnEnd(result.attempt, views.summary);
  ending_.push_back({job, std::move(open.trackers)});
  if (result.attempt.outcome == core::AttemptOutcome::kPaused && !common_.tracking.mlflow.empty())
    paused_.insert(job);
  return {};
}

// A record that cannot be written must not end the others that run.
void SweepRecords::End(core::JobId job, const local::AttemptResult& result) {
  const auto found = open_.find(job);
  if (found == open_.end()) return;
  const std::string& name = ExperimentOf(job).name;
  for (const std::string& warning : result.warnings) say_("note: " + name + ": " + warning);
  if (const auto stored = StoreEnd(job, found->second, result); !stored)
    say_("note: " + name + ": not all of it could be kept: " + stored.error().Message());
  open_.erase(found);
}

}  // namespace ebb::cli
