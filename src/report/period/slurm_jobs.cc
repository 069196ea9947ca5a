#include "report/period/slurm_jobs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/csv.h"
#include "base/text.h"
#include "base/units_text.h"

namespace ebb::report {
namespace {

// Slurm's times are whole seconds, and a prolog runs before the first task.
constexpr Duration kSlack = std::chrono::minutes{2};
constexpr double kSecondsPerHour = 3600, kMicrogramsPerGram = 1e6;

// States after which Slurm starts a job again.
bool IsStartedAgain(const std::string& state) {
  for (const char* word : {"REQUEUED", "PREEMPTED", "NODE_FAIL", "BOOT_FAIL"})
    if (state.starts_with(word)) return true;
  return false;
}

void NumberRestarts(std::vector<SlurmRow>& rows) {
  std::map<std::pair<std::string, std::string>, const SlurmRow*> before;
  for (SlurmRow& row : rows) {
    const SlurmRow*& last = before[{row.cluster, row.job}];
    row.restart = last && IsStartedAgain(last->state) ? last->restart + 1 : 0;
    last = &row;
  }
}

void Add(const JobFigures& more, JobFigures& sum) {
  sum.runs += more.runs;
  sum.energy += more.energy;
  sum.gpu += more.gpu;
  sum.measured += more.measured;
  sum.without_intensity += more.without_intensity;
  sum.emissions_ug += more.emissions_ug;
  sum.ran += more.ran;
}

// The start that the attempt belongs to: of its job, and the one that began last before it.
SlurmRow* RowOf(const MeasuredAttempt& attempt, std::vector<SlurmRow>& rows) {
  SlurmRow* found = nullptr;
  for (SlurmRow& row : rows) {
    if (row.job != attempt.job) continue;
    if (!row.cluster.empty() && !attempt.cluster.empty() && row.cluster != attempt.cluster)
      continue;
    const bool lies_in = row.wall.begin - kSlack <= attempt.wall.begin &&
                         attempt.wall.begin <= row.wall.end + kSlack;
    if (lies_in && (!found || row.wall.begin <= attempt.wall.begin)) found = &row;
  }
  return found;
}

void Add(const SlurmRow& row, SlurmSums& sums) {
  const double hours = Seconds(row.elapsed) / kSecondsPerHour;
  ++sums.starts;
  sums.hours += hours;
  sums.gpu_hours += hours * static_cast<double>(row.gpus);
  if (row.measured) Add(*row.measured, sums.measured);
  if (!row.told) return;
  sums.told += *row.told;
  ++sums.with_told;
}

std::vector<std::string> NotesOf(const SlurmReport& slurm) {
  std::vector<std::string> notes;
  if (slurm.not_measured.starts > 0)
    notes.emplace_back(
        "Starts that are not measured have hours and no energy: Ebb estimates nothing for them. "
        "Write ebb slurm run before their commands (docs/slurm.md).");
  if (slurm.measured.with_told + slurm.not_measured.with_told > 0)
    notes.emplace_back(
        "Slurm's own energy is that of whole nodes, so it fits only jobs that had their nodes "
        "alone, and it has no NVIDIA GPUs: Slurm reads those of AMD only.");
  else
    notes.emplace_back("This Slurm tells no energy of its own (AcctGatherEnergyType).");
  if (slurm.without_row.runs > 0)
    notes.push_back(EnergyText(slurm.without_row.energy) +
                    " were measured of attempts that Slurm does not list: of other times, of "
                    "another cluster, or already gone from its accounting.");
  notes.emplace_back(
      "Starts count whole here, also what they ran before or after the period; the report above "
      "cuts them.");
  return notes;
}

std::string HoursText(double hours) {
  return hours >= 1 || hours == 0 ? FormatFixed(hours, 1) : FormatSignificant(hours, 2);
}

std::string ToldText(const SlurmSums& sums) {
  return sums.with_told > 0 ? EnergyText(sums.told) : "";
}

std::string EmissionsCell(const JobFigures& figures) {
  const auto known = figures.known_emissions_ug();
  return known ? EmissionsText({static_cast<double>(*known) / kMicrogramsPerGram}) : "unknown";
}

std::vector<std::string> MeasuredCells(const std::string& name, const SlurmSums& sums) {
  return {name,
          std::to_string(sums.starts),
          HoursText(sums.hours),
          HoursText(sums.gpu_hours),
          EnergyText(sums.measured.energy),
          EmissionsCell(sums.measured),
          ToldText(sums)};
}

std::vector<std::string> OtherCells(const std::string& name, const SlurmSums& sums) {
  return {name, std::to_string(sums.starts), HoursText(sums.hours), HoursText(sums.gpu_hours),
          ToldText(sums)};
}

std::string NameOf(const std::string& user) { return user.empty() ? "unknown" : user; }

}  // namespace

SlurmReport BesideSlurm(std::vector<SlurmRow> rows, const std::vector<MeasuredAttempt>& attempts) {
  SlurmReport slurm;
  std::ranges::stable_sort(rows, [](const SlurmRow& a, const SlurmRow& b) {
    return std::tie(a.wall.begin, a.job) < std::tie(b.wall.begin, b.job);
  });
  NumberRestarts(rows);
  for (const MeasuredAttempt& attempt : attempts) {
    SlurmRow* row = RowOf(attempt, rows);
    if (row && !row->measured) row->measured.emplace();
    Add(attempt.figures, row ? *row->measured : slurm.without_row);
  }
  std::map<std::string, SlurmReport::User> users;
  for (const SlurmRow& row : rows) {
    SlurmReport::User& user = users[row.user];
    user.name = row.user;
    Add(row, row.measured ? user.measured : user.not_measured);
    Add(row, row.measured ? slurm.measured : slurm.not_measured);
  }
  for (auto& [name, user] : users) slurm.users.push_back(std::move(user));
  slurm.rows = std::move(rows);
  slurm.notes = NotesOf(slurm);
  return slurm;
}

TextTable MeasuredTable(const SlurmReport& slurm) {
  TextTable table{
      {"measured, by user", "starts", "hours", "GPU hours", "energy", "emitted", "Slurm says"}, {}};
  for (const SlurmReport::User& user : slurm.users)
    if (user.measured.starts > 0)
      table.rows.push_back(MeasuredCells(NameOf(user.name), user.measured));
  if (!table.rows.empty()) table.rows.push_back(MeasuredCells("total", slurm.measured));
  return table;
}

TextTable NotMeasuredTable(const SlurmReport& slurm) {
  TextTable table{{"not measured", "starts", "hours", "GPU hours", "Slurm says"}, {}};
  for (const SlurmReport::User& user : slurm.users)
    if (user.not_measured.starts > 0)
      table.rows.push_back(OtherCells(NameOf(user.name), user.not_measured));
  if (!table.rows.empty()) table.rows.push_back(OtherCells("total", slurm.not_measured));
  return table;
}

std::string SlurmText(const SlurmReport& slurm, std::size_t columns) {
  std::string text = "\nBeside Slurm\n";
  for (const TextTable& table : {MeasuredTable(slurm), NotMeasuredTable(slurm)})
    if (!table.rows.empty()) text += AlignedTable(table, columns);
  for (const std::string& note : slurm.notes) text += "  - " + note + "\n";
  return text;
}

std::string SlurmCsv(const SlurmReport& slurm) {
  std::string csv =
      "cluster,job,id,restart,user,account,partition,name,state,begin,end,elapsed_s,nodes,cores,"
      "gpus,measured,energy_uj,gpu_energy_uj,emissions_ug,slurm_energy_j\n";
  for (const SlurmRow& row : slurm.rows) {
    const auto known = row.measured ? row.measured->known_emissions_ug() : std::nullopt;
    const auto microjoules = [&](Energy JobFigures::*energy) {
      return row.measured ? std::to_string(((*row.measured).*energy).microjoules()) : "";
    };
    csv += CsvLine({row.cluster,
                    row.job,
                    row.id,
                    std::to_string(row.restart),
                    row.user,
                    row.account,
                    row.partition,
                    row.name,
                    row.state,
                    FormatTime(row.wall.begin),
                    FormatTime(row.wall.end),
                    FormatExact(Seconds(row.elapsed)),
                    std::to_string(row.nodes),
                    std::to_string(row.cores),
                    std::to_string(row.gpus),
                    row.measured ? "1" : "0",
                    microjoules(&JobFigures::energy),
                    microjoules(&JobFigures::gpu),
                    known ? std::to_string(*known) : "",
                    row.told ? FormatExact(row.told->joules()) : ""}) +
           "\n";
  }
  return csv;
}

}  // namespace ebb::report
