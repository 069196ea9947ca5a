#include "report/run/job_energy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "base/text.h"
#include "base/units_text.h"
#include "core/run/accounting.h"
#include "core/run/ledger_union.h"
#include "report/run/merged_run.h"
#include "report/table_columns.h"

namespace ebb::report {
namespace {

constexpr double kMicrogramsPerGram = 1e6;

Interval WallOf(const core::RunRecord& run) {
  Interval wall{Time::max(), Time::min()};
  for (const core::Attempt& attempt : run.attempts) {
    wall.begin = std::min(wall.begin, attempt.wall.begin);
    wall.end = std::max(wall.end, attempt.wall.end);
  }
  return wall.begin > wall.end ? Interval{} : wall;
}

// Sums of runs. Tasks and nodes of an attempt run at the same time, attempts one after the other.
class Sums {
 public:
  void Add(const JobRun& part, const core::LedgerTotals& totals) {
    ++figures_.runs;
    figures_.energy += totals.energy;
    figures_.gpu += totals.gpu;
    figures_.measured += totals.by_counter;
    figures_.without_intensity += totals.energy_without_intensity;
    figures_.emissions_ug += std::llround(totals.emissions.grams * kMicrogramsPerGram);
    const Interval wall = WallOf(part.run);
    const auto [known, is_new] = walls_.try_emplace(part.attempt, wall);
    if (is_new) return;
    known->second.begin = std::min(known->second.begin, wall.begin);
    known->second.end = std::max(known->second.end, wall.end);
  }

  JobFigures figures() const {
    JobFigures figures = figures_;
    for (const auto& [attempt, wall] : walls_) figures.ran += wall.length();
    return figures;
  }

 private:
  JobFigures figures_;
  std::map<int, Interval> walls_;
};

// The rows of each run that count, by run id.
std::map<std::string, std::vector<core::LedgerRow>> CountedRows(const std::vector<JobRun>& runs) {
  std::vector<core::UnionRow> set;
  for (const JobRun& part : runs)
    for (const core::LedgerRow& row : part.run.ledger)
      set.push_back({part.run.spec.run_id, MachineOf(part.run), part.run.spec.scope, row});
  std::map<std::string, std::vector<core::LedgerRow>> rows;
  for (core::UnionRow& counted : core::Counted(set))
    rows[counted.run_id].push_back(std::move(counted.row));
  return rows;
}

std::string OutcomeOf(const core::RunRecord& run) {
  return run.attempts.empty() ? "" : std::string(core::Name(run.attempts.back().outcome));
}

// "paused"; "done, failed" for tasks that ended in different ways.
void AddOutcome(const std::string& outcome, std::string& outcomes) {
  const auto known = Split(outcomes, ',');
  const auto is_same = [&](std::string_view other) { return Trim(other) == outcome; };
  if (outcome.empty() || std::ranges::any_of(known, is_same)) return;
  outcomes += (outcomes.empty() ? "" : ", ") + outcome;
}

std::string EmissionsCell(const JobFigures& figures) {
  const auto micrograms = figures.known_emissions_ug();
  if (!micrograms) return "unknown";
  return (figures.without_intensity > Energy{} ? "over " : "") +
         EmissionsText({static_cast<double>(*micrograms) / kMicrogramsPerGram});
}

using Row = JobEnergy::Row;
using RowColumn = Column<Row>;

// The attempt or the node of a row.
std::string NameOf(const Row& row) {
  return row.node.empty() ? std::to_string(row.attempt) : row.node;
}

// The columns of tables by attempt or by node. `what` is the heading of the names.
std::vector<RowColumn> Columns(const std::string& what) {
  using R = const Row&;
  return {
      {"part", [](R row) { return row.attempt > 0 ? "node" : "total"; }},
      RowColumn::Shown(what, &NameOf),
      {"attempt",
       [](R row) { return row.attempt > 0 ? Plain(std::int64_t{row.attempt}) : Omitted{}; }},
      {"node", [](R row) { return OrOmitted(row.node); }},
      {"outcome", [](R row) { return OrOmitted(row.outcome); }},
      {"runs", [](R row) { return row.figures.runs; }},
      {"ran_s", [](R row) { return Seconds(row.figures.ran); }, "ran",
       [](R row) { return FormatDuration(row.figures.ran); }},
      {"energy_uj", [](R row) { return row.figures.energy.microjoules(); }, "energy",
       [](R row) { return EnergyText(row.figures.energy); }},
      {"energy_kwh", [](R row) { return row.figures.energy.kwh(); }},
      {"gpu_energy_uj", [](R row) { return row.figures.gpu.microjoules(); }, "of it GPUs",
       [](R row) { return row.figures.gpu > Energy{} ? EnergyText(row.figures.gpu) : ""; }},
      {"measured_energy_uj", [](R row) { return row.figures.measured.microjoules(); }},
      {"energy_without_intensity_uj",
       [](R row) { return row.figures.without_intensity.microjoules(); }},
      {"emissions_ug", [](R row) { return PlainOf(row.figures.known_emissions_ug()); }, "emissions",
       [](R row) { return EmissionsCell(row.figures); }},
      RowColumn::Shown("outcome", [](R row) { return row.outcome; }),
  };
}

std::vector<RowColumn> FileColumnsWithout(const char* key) {
  std::vector<RowColumn> columns = Columns("");
  std::erase_if(columns, [&](const RowColumn& column) { return column.key == key; });
  return columns;
}

std::string TableOf(const std::string& what, const std::vector<Row>& rows, std::size_t columns) {
  TextTable table = TableFor(Readers::kTerminal, Columns(what), rows);
  table.ends_in_text = true;
  return AlignedTable(table, columns);
}

struct JobAnswer {
  std::string job;
  JsonRow<Row> total;
  std::vector<JsonRow<Row>> attempts, nodes, cells;
  std::int64_t counted_elsewhere_uj = 0, unfinished = 0;
  void Describe(DescribedJson& json) const {
    json("schema", "", "ebb.job-energy/1")("job", "", job)("total", "", total);
    json("attempts", "", attempts)("nodes", "", nodes)("attempts_on_nodes", "", cells);
    json("counted_elsewhere_uj", "", counted_elsewhere_uj)("unfinished_runs", "", unfinished);
  }
};

std::string Plural(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

}  // namespace

JobEnergy EnergyOf(const std::string& job, const std::vector<JobRun>& runs) {
  JobEnergy energy;
  energy.job = job;
  std::vector<JobRun> accounted = runs;
  for (JobRun& part : accounted) part.run = core::Accounted(std::move(part.run));
  auto counted = CountedRows(accounted);
  struct Group {
    Sums sums;
    std::string outcome;
  };
  Sums total;
  std::map<int, Group> attempts;
  std::map<std::string, Group> nodes;
  std::map<std::pair<int, std::string>, Group> cells;
  for (const JobRun& part : accounted) {
    const core::LedgerTotals totals = core::Total(counted[part.run.spec.run_id]);
    total.Add(part, totals);
    Group& attempt = attempts[part.attempt];
    Group& cell = cells[{part.attempt, part.node}];
    for (Group* group : {&attempt, &nodes[part.node], &cell}) group->sums.Add(part, totals);
    for (Group* group : {&attempt, &cell}) AddOutcome(OutcomeOf(part.run), group->outcome);
    energy.counted_elsewhere += core::Total(part.run.ledger).energy - totals.energy;
    if (OutcomeOf(part.run) == core::Name(core::AttemptOutcome::kRunning)) ++energy.unfinished;
  }
  energy.total = total.figures();
  for (const auto& [number, group] : attempts)
    energy.attempts.push_back({number, "", group.outcome, group.sums.figures()});
  for (const auto& [node, group] : nodes)
    energy.nodes.push_back({0, node, "", group.sums.figures()});
  for (const auto& [key, group] : cells)
    energy.cells.push_back({key.first, key.second, group.outcome, group.sums.figures()});
  return energy;
}

std::string JobEnergySentence(const JobEnergy& job) {
  std::string text = "used " + EnergyText(job.total.energy) + ", " + EmissionsCell(job.total);
  if (!job.total.known_emissions_ug()) text += " g";
  if (job.attempts.size() > 1) text += " in " + Plural(job.attempts.size(), "attempt");
  return text + (job.nodes.size() > 1 ? " on " + Plural(job.nodes.size(), "node") : "");
}

std::string JobEnergyText(const JobEnergy& job, std::size_t columns) {
  std::string text = "job " + job.job + ": " + EnergyText(job.total.energy) + ", " +
                     EmissionsCell(job.total) + ", " + Plural(job.attempts.size(), "attempt") +
                     " on " + Plural(job.nodes.size(), "node") + ", " +
                     FormatDuration(job.total.ran) + "\n";
  text += "\n" + TableOf("attempt", job.attempts, columns);
  if (job.nodes.size() > 1) text += "\n" + TableOf("node", job.nodes, columns);
  if (job.counted_elsewhere > Energy{})
    text += "\n" + EnergyText(job.counted_elsewhere) +
            " that two runs read counts once: both read the same device\n";
  if (job.unfinished > 0)
    text += "\n" + Plural(static_cast<std::size_t>(job.unfinished), "run") +
            " without an end: it runs, or it was killed; what it had measured counts\n";
  return text;
}

std::string JobEnergyCsv(const JobEnergy& job) {
  std::vector<Row> rows = job.cells;
  rows.push_back({0, "", "", job.total});
  return CsvOf(FileColumnsWithout("energy_kwh"), rows);
}

std::string JobEnergyJson(const JobEnergy& job) {
  const std::vector<RowColumn> columns = FileColumnsWithout("part");
  const Row total{0, "", "", job.total};
  const JobAnswer answer{job.job,
                         {columns, &total},
                         JsonRowsOf(columns, job.attempts),
                         JsonRowsOf(columns, job.nodes),
                         JsonRowsOf(columns, job.cells),
                         job.counted_elsewhere.microjoules(),
                         job.unfinished};
  return Indented(ToJson(answer)) + "\n";
}

}  // namespace ebb::report
