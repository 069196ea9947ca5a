#include "report/run/job_energy.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/text.h"
#include "base/units_text.h"
#include "core/accounting.h"
#include "core/ledger_union.h"
#include "report/run/merged_run.h"

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

std::vector<std::string> TextRow(const std::string& name, const JobEnergy::Row& row) {
  const JobFigures& figures = row.figures;
  return {name,
          FormatDuration(figures.ran),
          EnergyText(figures.energy),
          figures.gpu > Energy{} ? EnergyText(figures.gpu) : "",
          EmissionsCell(figures),
          row.outcome};
}

std::string TableOf(const std::string& what, const std::vector<JobEnergy::Row>& rows,
                    std::size_t columns) {
  TextTable table{{what, "ran", "energy", "of it GPUs", "emissions", "outcome"}, {}, true};
  for (const JobEnergy::Row& row : rows)
    table.rows.push_back(TextRow(row.node.empty()   ? std::to_string(row.attempt)
                                 : row.attempt == 0 ? row.node
                                                    : std::to_string(row.attempt) + " " + row.node,
                                 row));
  return AlignedTable(table, columns);
}

std::string Plural(std::size_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

nlohmann::ordered_json FiguresJson(const JobFigures& figures) {
  const auto micrograms = figures.known_emissions_ug();
  return {{"runs", figures.runs},
          {"ran_s", Seconds(figures.ran)},
          {"energy_uj", figures.energy.microjoules()},
          {"energy_kwh", figures.energy.kwh()},
          {"gpu_energy_uj", figures.gpu.microjoules()},
          {"measured_energy_uj", figures.measured.microjoules()},
          {"energy_without_intensity_uj", figures.without_intensity.microjoules()},
          {"emissions_ug", micrograms ? nlohmann::ordered_json(*micrograms) : nullptr}};
}

nlohmann::ordered_json RowsJson(const std::vector<JobEnergy::Row>& rows) {
  auto json = nlohmann::ordered_json::array();
  for (const JobEnergy::Row& row : rows) {
    nlohmann::ordered_json each = nlohmann::ordered_json::object();
    if (row.attempt > 0) each["attempt"] = row.attempt;
    if (!row.node.empty()) each["node"] = row.node;
    if (!row.outcome.empty()) each["outcome"] = row.outcome;
    each.update(FiguresJson(row.figures));
    json.push_back(std::move(each));
  }
  return json;
}

std::string CsvRow(const std::string& part, const JobEnergy::Row& row) {
  const JobFigures& figures = row.figures;
  const auto micrograms = figures.known_emissions_ug();
  return CsvLine({part, row.attempt > 0 ? std::to_string(row.attempt) : "", row.node, row.outcome,
                  std::to_string(figures.runs), FormatExact(Seconds(figures.ran)),
                  std::to_string(figures.energy.microjoules()),
                  std::to_string(figures.gpu.microjoules()),
                  std::to_string(figures.measured.microjoules()),
                  std::to_string(figures.without_intensity.microjoules()),
                  micrograms ? std::to_string(*micrograms) : ""}) +
         "\n";
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
  std::string text =
      "part,attempt,node,outcome,runs,ran_s,energy_uj,gpu_energy_uj,measured_energy_uj,"
      "energy_without_intensity_uj,emissions_ug\n";
  for (const JobEnergy::Row& cell : job.cells) text += CsvRow("node", cell);
  return text + CsvRow("total", {0, "", "", job.total});
}

std::string JobEnergyJson(const JobEnergy& job) {
  nlohmann::ordered_json json{{"schema", "ebb.job-energy/1"}, {"job", job.job}};
  json["total"] = FiguresJson(job.total);
  json["attempts"] = RowsJson(job.attempts);
  json["nodes"] = RowsJson(job.nodes);
  json["attempts_on_nodes"] = RowsJson(job.cells);
  json["counted_elsewhere_uj"] = job.counted_elsewhere.microjoules();
  json["unfinished_runs"] = job.unfinished;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ebb::report
