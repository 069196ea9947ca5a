#include "store/jobs/sweep_records.h"

#include <cmath>
#include <limits>

#include "core/fields.h"
#include "core/jobs/owner_variables.h"
#include "store/accounts/ledger_records.h"
#include "store/jobs/job_records.h"

namespace ebb::store {
namespace {

constexpr std::string_view kSweepColumns =
    "SELECT id, name, key, submitted_ms, reduction, minimum_epochs, epochs, budget"
    " FROM sweeps";

int Int(const Row& row, int column) { return static_cast<int>(row.Integer(column)); }
std::size_t Size(const Row& row, int column) {
  return static_cast<std::size_t>(row.Integer(column));
}

Value BudgetText(const core::Budget& budget) {
  return budget.empty() ? Value{} : Value{ToFieldText(budget)};
}

Result<SweepRecord> SweepFrom(const Row& row) {
  SweepRecord sweep;
  sweep.id = row.Integer(0);
  sweep.name = row.Text(1);
  sweep.key = GivenKey(std::string(row.Text(2)));
  sweep.submitted = Time{Duration{row.Integer(3)}};
  if (!row.IsNull(4)) sweep.halving = sweep::HalvingOptions{Int(row, 4), Int(row, 5), Int(row, 6)};
  if (!row.IsNull(7)) {
    EBB_ASSIGN_OR_RETURN(
        sweep.budget, FromFieldText<core::Budget>(
                          row.Text(7), "the budget of stored sweep " + std::to_string(sweep.id)));
  }
  return sweep;
}

RungLoss LossFrom(const Row& row) {
  RungLoss loss;
  loss.sweep = row.Integer(0);
  loss.number = row.Integer(1);
  loss.job = row.Integer(2);
  loss.at = Time{Duration{row.Integer(3)}};
  loss.epoch = Int(row, 4);
  // SQLite has no NaN: a NaN loss is stored as NULL.
  loss.loss = row.IsNull(5) ? std::numeric_limits<double>::quiet_NaN() : row.Number(5);
  loss.verdict.rung = Int(row, 6);
  loss.verdict.rank = Size(row, 7);
  loss.verdict.reached = Size(row, 8);
  loss.verdict.kept = Size(row, 9);
  loss.verdict.stop = loss.verdict.rank > loss.verdict.kept;
  loss.stopped = row.Integer(10) != 0;
  if (!row.IsNull(11)) loss.saved_energy = Energy::Microjoules(row.Integer(11));
  if (!row.IsNull(12)) loss.saved = Emissions{row.Number(12)};
  return loss;
}

}  // namespace

void AddSweep(WriteGroup& group, const SweepRecord& sweep) {
  const auto& halving = sweep.halving;
  const auto whole = [&](int number) { return halving ? Value{std::int64_t{number}} : Value{}; };
  const sweep::HalvingOptions options = halving.value_or(sweep::HalvingOptions{});
  group.Add(
      "INSERT INTO sweeps(id, name, key, submitted_ms, reduction, minimum_epochs, epochs,"
      " budget) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
      {sweep.id, sweep.name, TextOrNull(StoredKey(sweep.key, sweep.user)),
       Milliseconds(sweep.submitted), whole(options.reduction), whole(options.minimum_epochs),
       whole(options.epochs), BudgetText(sweep.budget)});
}

void SetSweepBudget(WriteGroup& group, core::SweepId sweep, const core::Budget& budget) {
  group.Add("UPDATE sweeps SET budget = ?2 WHERE id = ?1", {sweep, BudgetText(budget)});
}

void AddSweepBudgetEvent(WriteGroup& group, core::SweepId sweep, std::int64_t number,
                         const core::BudgetEvent& event) {
  group.Add("INSERT INTO sweep_budget_events(sweep, number, event) VALUES(?, ?, ?)",
            {sweep, number, ToFieldText(event)});
}

void AddRungLoss(WriteGroup& group, const RungLoss& loss) {
  const auto count = [](std::size_t size) { return static_cast<std::int64_t>(size); };
  group.Add(
      "INSERT INTO rung_losses(sweep, number, job, at_ms, epoch, loss, rung, rank, reached, kept,"
      " stopped, saved_uj, saved_g) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      {loss.sweep, loss.number, loss.job, Milliseconds(loss.at), std::int64_t{loss.epoch},
       std::isnan(loss.loss) ? Value{} : Value{loss.loss}, std::int64_t{loss.verdict.rung},
       count(loss.verdict.rank), count(loss.verdict.reached), count(loss.verdict.kept),
       std::int64_t{loss.stopped},
       loss.saved_energy ? Value{loss.saved_energy->microjoules()} : Value{},
       loss.saved ? Value{loss.saved->grams} : Value{}});
}

Result<std::vector<SweepRecord>> ListSweeps(Database& database, const SweepFilter& filter) {
  std::vector<SweepRecord> sweeps;
  EBB_RETURN_IF_ERROR(database.Query(
      std::string(kSweepColumns) + " WHERE ?1 IS NULL OR name = ?1 ORDER BY id DESC LIMIT ?2",
      {TextOrNull(filter.name), std::int64_t{filter.limit}}, [&](const Row& row) -> Status {
        EBB_ASSIGN_OR_RETURN(SweepRecord sweep, SweepFrom(row));
        sweeps.push_back(std::move(sweep));
        return {};
      }));
  return sweeps;
}

Result<std::optional<SweepRecord>> FindSweep(Database& database, core::SweepId id) {
  std::optional<SweepRecord> found;
  EBB_RETURN_IF_ERROR(database.Query(std::string(kSweepColumns) + " WHERE id = ?", {id},
                                     [&](const Row& row) -> Status {
                                       EBB_ASSIGN_OR_RETURN(found, SweepFrom(row));
                                       return {};
                                     }));
  return found;
}

Result<std::optional<core::SweepId>> FindSweepByKey(Database& database, const std::string& key,
                                                    const std::string& user) {
  const std::string sql = "SELECT id FROM sweeps WHERE key = ?";
  EBB_ASSIGN_OR_RETURN(const auto sweep, database.Integer(sql, {StoredKey(key, user)}));
  if (sweep) return sweep;
  // A key of an earlier version is stored without its user, who is named in the experiments.
  EBB_ASSIGN_OR_RETURN(const auto earlier, database.Integer(sql, {key}));
  if (!earlier) return std::nullopt;
  EBB_ASSIGN_OR_RETURN(const auto first,
                       database.Integer("SELECT min(id) FROM jobs WHERE sweep = ?", {*earlier}));
  if (!first) return earlier;
  EBB_ASSIGN_OR_RETURN(const auto submission, FindSubmission(database, *first));
  const bool is_own = !submission || core::VariableOf(*submission, core::kUserVariable) == user;
  return is_own ? earlier : std::nullopt;
}

Result<std::map<core::JobId, AttemptSums>> AttemptSumsOf(Database& database, core::SweepId sweep,
                                                         Time now) {
  std::map<core::JobId, AttemptSums> sums;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT job, count(*), sum(phase = 'paused'), sum(began_ms NOT NULL AND ended_ms IS NULL),"
      " sum(began_ms IS NULL AND phase NOT IN ('starting', 'start_failed')),"
      " sum(coalesce(coalesce(ended_ms, max(began_ms, ?2)) - began_ms, 0)) FROM attempts"
      " WHERE job IN (SELECT id FROM jobs WHERE sweep = ?1) GROUP BY job",
      {sweep, Milliseconds(now)}, [&](const Row& row) -> Status {
        AttemptSums& of_job = sums[row.Integer(0)];
        of_job.attempts = Int(row, 1);
        of_job.paused = Int(row, 2);
        of_job.open = Int(row, 3);
        if (row.Integer(4) == 0) of_job.ran = Duration{row.Integer(5)};
        return {};
      }));
  return sums;
}

Result<std::map<core::JobId, core::Parameters>> ParametersOf(Database& database,
                                                             core::SweepId sweep) {
  std::map<core::JobId, core::Parameters> parameters;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT id, json_extract(submission, '$.parameters') AS parameters FROM jobs"
      " WHERE sweep = ? AND parameters NOT NULL",
      {sweep}, [&](const Row& row) -> Status {
        const core::JobId job = row.Integer(0);
        EBB_ASSIGN_OR_RETURN(parameters[job], FromFieldText<core::Parameters>(
                                                  row.Text(1), "the parameters of stored job " +
                                                                   std::to_string(job)));
        return {};
      }));
  return parameters;
}

Result<std::vector<core::BudgetEvent>> SweepBudgetEventsOf(Database& database,
                                                           core::SweepId sweep) {
  std::vector<core::BudgetEvent> events;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT event FROM sweep_budget_events WHERE sweep = ? ORDER BY number", {sweep},
      [&](const Row& row) -> Status {
        EBB_ASSIGN_OR_RETURN(
            core::BudgetEvent event,
            FromFieldText<core::BudgetEvent>(
                row.Text(0), "an event of the budget of stored sweep " + std::to_string(sweep)));
        events.push_back(event);
        return {};
      }));
  return events;
}

Result<core::BudgetUse> UseOfSweep(Database& database, core::SweepId sweep) {
  std::vector<core::JobId> jobs;
  EBB_RETURN_IF_ERROR(
      database.Query("SELECT id FROM jobs WHERE sweep = ?", {sweep}, [&](const Row& row) -> Status {
        jobs.push_back(row.Integer(0));
        return {};
      }));
  core::BudgetUse use;
  for (const core::JobId job : jobs) {
    EBB_ASSIGN_OR_RETURN(const auto rows, LedgerOf(database, job));
    use += core::UseOf(rows);
  }
  return use;
}

Result<std::vector<RungLoss>> RungLossesOf(Database& database, core::SweepId sweep) {
  std::vector<RungLoss> losses;
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT sweep, number, job, at_ms, epoch, loss, rung, rank, reached, kept,"
      " stopped AND NOT EXISTS (SELECT 1 FROM jobs WHERE id = rung_losses.job AND stage IN"
      " ('succeeded', 'failed')), saved_uj, saved_g FROM rung_losses WHERE sweep = ? ORDER BY"
      " number",
      {sweep}, [&](const Row& row) -> Status {
        losses.push_back(LossFrom(row));
        return {};
      }));
  return losses;
}

}  // namespace ebb::store
