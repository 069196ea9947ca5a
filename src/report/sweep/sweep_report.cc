#include "report/sweep/sweep_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include "base/columns.h"
#include "base/enum_names.h"
#include "base/text.h"
#include "base/units_text.h"
#include "report/described_work.h"
#include "sweep/condition.h"

namespace ebb::report {
namespace {

// Columns of a line for a terminal: those of the figures with "stopped early", and the fewest that
// remain for a name.
constexpr std::size_t kBesideName = 70, kLeastName = 10;
constexpr std::size_t kPerUnit = 14;  // "1.23 mJ/sample"

constexpr std::array<std::string_view, 8> kOutcomeNames{
    "done", "running", "stopped early", "paused", "waiting", "failed", "cancelled", "not run"};

constexpr std::array<std::string_view, 3> kRankByNames{"loss", "energy", "emissions"};

bool IsComplete(const SweepRow& row) {
  return row.outcome == SweepOutcome::kDone && row.loss && std::isfinite(*row.loss);
}

std::optional<core::UnitUse> UseBy(const SweepRow& row, core::WorkUnit unit) {
  for (const core::UnitUse& use : row.per_unit())
    if (use.unit == unit) return use;
  return std::nullopt;
}

// The finest unit that every experiment reports that is done; energies per unlike units are not
// compared.
std::optional<core::WorkUnit> CommonUnit(const SweepReport& report) {
  for (const core::WorkUnit unit : core::kWorkUnits)
    if (std::ranges::all_of(report.rows, [&](const SweepRow& row) {
          return row.outcome != SweepOutcome::kDone || UseBy(row, unit);
        }))
      return unit;
  return std::nullopt;
}

// The figures by which the rows of a report are ranked.
class Ranking {
 public:
  explicit Ranking(const SweepReport& report) : by_(report.ranked_by), unit_(CommonUnit(report)) {}
  /// Nothing: the row is not ranked.
  std::optional<double> Of(const SweepRow& row) const {
    if (by_ == RankBy::kLoss) return IsComplete(row) ? row.loss : std::nullopt;
    if (row.outcome != SweepOutcome::kDone || !unit_) return std::nullopt;
    const auto use = UseBy(row, *unit_);
    if (!use) return std::nullopt;
    return by_ == RankBy::kEnergy ? std::optional(use->joules) : use->grams;
  }

 private:
  RankBy by_;
  std::optional<core::WorkUnit> unit_;
};

std::string EmissionsCell(const SweepRow& row) {
  if (row.emissions) return EmissionsText(*row.emissions);
  return row.attempts > 0 ? "unknown" : "-";
}

// The sum of known emissions. Unknown is not 0: nothing if something ran and none of its emissions
// are known.
std::optional<Emissions> KnownSum(const SweepReport& report) {
  const auto is_known = [](const SweepRow& row) { return row.emissions.has_value(); };
  const bool any_ran =
      std::ranges::any_of(report.rows, [](const SweepRow& row) { return row.energy > Energy{}; });
  if (any_ran && std::ranges::none_of(report.rows, is_known)) return std::nullopt;
  return report.emissions;
}

std::string EmittedInAll(const SweepReport& report) {
  const auto known = KnownSum(report);
  if (!known) return "emissions unknown";
  const auto unknown = std::ranges::count_if(
      report.rows, [](const SweepRow& row) { return row.energy > Energy{} && !row.emissions; });
  return EmissionsText(*known) +
         (unknown == 0 ? "" : " (unknown for " + std::to_string(unknown) + ")");
}

// Marks each experiment that no other beats in both loss and grams, in the order of loss. Of equal
// losses the one with the fewest grams comes first.
void MarkFront(SweepReport& report) {
  std::vector<SweepRow*> known;
  for (SweepRow& row : report.rows) {
    row.on_front = false;
    if (IsComplete(row) && row.emissions) known.push_back(&row);
  }
  std::ranges::stable_sort(
      known, {}, [](const SweepRow* row) { return std::pair(*row->loss, row->emissions->grams); });
  std::optional<Emissions> fewest;
  for (SweepRow* row : known) {
    if (fewest && *row->emissions >= *fewest) continue;
    row->on_front = true;
    fewest = row->emissions;
  }
}

struct Experiment {
  SweepRow row;
  std::optional<int> rank{};
  void Describe(DescribedJson& json) const {
    json.Is("Experiment", "null: unknown.");
    json("job", "its number", row.job);
    json("rank", "from 1 on, by ranked_by, of the experiments that are done", OrNull{rank});
    json("name", "its name", row.name);
    json("tier", "the name of its tier", row.tier);
    json("parameters", "what the sweep varies, and its values", row.parameters);
    json("outcome", "what came of it", UpTo<SweepOutcome::kNotRun>{row.outcome});
    json("loss", "of the last epoch", OrNull{row.loss});
    json("loss_is_validation", "false: of training", row.loss_is_validation);
    json("epochs", "how many ended", row.epochs);
    json("energy_kwh", "of all attempts", row.energy);
    json("emissions_g", "of all attempts, in g CO2e", OrNull{row.emissions});
    DescribeWork(json, row.work, row.per_unit(), [](const auto& maybe) { return OrNull{maybe}; });
    json("waited_s", "from submission to the first start, by the grid's clock", row.waited);
    json("running_time_s", "of all attempts, without pauses", OrNull{row.ran});
    json("attempts", "how many there were", row.attempts);
    json("on_pareto_front", "none that is done has both less loss and fewer grams", row.on_front);
    json("note", "why it ended, or waits", row.note);
  }
};

// "machine, while Ebb ran: 12 Wh = experiments 8 Wh + idle 3 Wh (1 g) + unattributed 1 Wh (1 g)".
std::string MachineText(const SweepReport& report) {
  const SweepMachine& machine = *report.machine;
  const auto with_grams = [](Energy energy, const std::optional<Emissions>& emissions) {
    return EnergyText(energy) + " (" +
           (emissions ? EmissionsText(*emissions) : std::string("emissions unknown")) + ")";
  };
  return "machine, while Ebb ran: " +
         EnergyText(report.energy + machine.idle + machine.unattributed) + " = experiments " +
         EnergyText(report.energy) + " + idle " + with_grams(machine.idle, machine.idle_emissions) +
         " + unattributed " + with_grams(machine.unattributed, machine.unattributed_emissions);
}

}  // namespace

bool IsOver(SweepOutcome outcome) {
  return outcome == SweepOutcome::kDone || outcome == SweepOutcome::kStoppedEarly ||
         outcome == SweepOutcome::kFailed || outcome == SweepOutcome::kCancelled;
}

const SweepRow* BestOf(const SweepReport& report) {
  const bool any = !report.rows.empty() && Ranking(report).Of(report.rows.front());
  return any ? &report.rows.front() : nullptr;
}

std::string_view Name(RankBy by) { return kRankByNames[static_cast<std::size_t>(by)]; }

Result<RankBy> ParseRankBy(const std::string& where, const std::string& text) {
  if (const auto by = EnumFromName<RankBy>(kRankByNames, text)) return *by;
  const std::vector<std::string> names(kRankByNames.begin(), kRankByNames.end());
  return Fail(
      {ExitCode::kUsage,
       Quoted(text) + " is not a figure that sweeps are ranked by" + SuggestionText(text, names),
       where, "choose from " + Join(names, ", ")});
}

std::string_view Name(SweepOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

void SayDiverged(SweepRow& row, std::int64_t step) {
  if (!IsOver(row.outcome)) return;
  row.note = "diverged at step " + std::to_string(step);
}

void SayNotices(SweepRow& row, const std::vector<std::string>& notices) {
  if (row.note.empty()) row.note = Join(notices, "; ");
}

void Rank(SweepReport& report) {
  const Ranking ranking(report);
  std::ranges::stable_sort(report.rows, {}, [&](const SweepRow& row) {
    const auto figure = ranking.Of(row);
    return std::tuple(!figure, figure.value_or(0), static_cast<int>(row.outcome));
  });
  MarkFront(report);
}

std::vector<std::string> VariedParameters(const SweepReport& report) {
  struct Seen {
    sweep::Value first;
    std::size_t rows = 0;
    bool differs = false;
  };
  std::map<std::string, Seen> seen;
  std::vector<std::string> names;
  for (const SweepRow& row : report.rows) {
    for (const auto& [name, text] : row.parameters) {
      sweep::Value value = sweep::Value::From(text);
      const auto [found, is_new] = seen.try_emplace(name, Seen{value});
      if (is_new) names.push_back(name);
      ++found->second.rows;
      found->second.differs |= !sweep::SameValue(value, found->second.first);
    }
  }
  std::erase_if(names, [&](const std::string& name) {
    return !seen.at(name).differs && seen.at(name).rows == report.rows.size();
  });
  return names;
}

std::string SweepText(const SweepReport& report, std::size_t columns) {
  std::size_t longest = kLeastName;
  for (const SweepRow& row : report.rows) longest = std::max(longest, ColumnsOf(row.name));
  const bool with_work =
      std::ranges::any_of(report.rows, [](const SweepRow& row) { return !row.per_unit().empty(); });
  const auto work_cell = [&](const std::string& text) {
    return with_work ? Padded(text, kPerUnit) + "  " : "";
  };
  const std::size_t beside = kBesideName + (with_work ? kPerUnit + 2 : 0);
  const std::size_t room = columns - std::min(columns, beside);
  longest = std::min(longest, std::max(kLeastName, room));
  std::string text =
      report.name + ": " + EnergyText(report.energy) + ", " + EmittedInAll(report) + " in all\n";
  text += "     " + Padded("experiment", longest) + "  tier  loss      emitted     energy      " +
          work_cell("per unit") + "waited    outcome\n";
  int place = 0;
  const Ranking ranking(report);
  for (const SweepRow& row : report.rows) {
    std::string line =
        Padded(ranking.Of(row) ? std::to_string(++place) : "-", 3) + (row.on_front ? "* " : "  ");
    line += CutOrPad(row.name, longest) + "  " + Padded(row.tier, 4) + "  ";
    line += Padded(row.loss ? FormatSignificant(*row.loss, 4) : "-", 8) + "  ";
    line += Padded(EmissionsCell(row), 10) + "  " + Padded(EnergyText(row.energy), 10) + "  ";
    line += work_cell(core::EnergyPerText(row.per_unit()));
    line += Padded(row.attempts > 0 ? FormatDuration(row.waited) : "-", 8) + "  ";
    line += std::string(Name(row.outcome)) + (row.note.empty() ? "" : ": " + row.note);
    text += CutTo(line, std::max(columns, beside + kLeastName)) + "\n";
  }
  text += "* on the loss-grams front: no complete experiment has both less loss and fewer grams\n";
  if (report.machine) text += MachineText(report) + "\n";
  if (report.stopped_early > 0)
    text += std::to_string(report.stopped_early) + " stopped early: about " +
            EmissionsText(report.saved_emissions) + " and " + EnergyText(report.saved_energy) +
            " not spent, by estimate; whether the best configuration was among them cannot be "
            "known\n";
  for (const std::string& notice : report.notices) text += "note: " + notice + "\n";
  return text;
}

void SweepMachine::Describe(DescribedJson& json) const {
  json.Is("SweepMachine", "What the machine used beside the experiments. null: unknown.");
  json("idle_kwh", "while nothing ran", idle);
  json("idle_g", "of that, in g CO2e", OrNull{idle_emissions});
  json("unattributed_kwh", "of other programs", unattributed);
  json("unattributed_g", "of that, in g CO2e", OrNull{unattributed_emissions});
}

void SweepReport::Describe(DescribedJson& json) const {
  const SweepRow* first = BestOf(*this);
  const Ranking ranking(*this);
  std::vector<Experiment> experiments;
  for (int rank = 0; const SweepRow& row : rows)
    experiments.push_back({row, ranking.Of(row) ? std::optional(++rank) : std::nullopt});
  json.Is("SweepReport", "What came of a sweep.");
  json("schema", "the format and its version", "ebb.sweep-report/1");
  json("name", "its name", name);
  json("ranked_by", "the least first; energy and emissions: per unit of work",
       UpTo<RankBy::kEmissions>{ranked_by});
  json("best", "name of the first; null: none is done",
       OrNull{first ? std::optional(first->name) : std::nullopt});
  json("over", "no experiment will run any more",
       std::ranges::all_of(rows, &IsOver, &SweepRow::outcome));
  json("energy_kwh", "of all experiments", energy);
  json("emissions_g",
       "of the experiments of which they are known, in g CO2e; null: of none that ran",
       OrNull{KnownSum(*this)});
  json("stopped_early", "how many experiments", stopped_early);
  json("estimated_saved_kwh", "by stopping them", saved_energy);
  json("estimated_saved_g", "by stopping them, in g CO2e", saved_emissions);
  json("notices", "for people", notices);
  json("machine", "null: unknown", OrNull{machine});
  json("varied_parameters", "names of those in which the experiments differ",
       VariedParameters(*this));
  json("experiments", "ranked; those that are not done after them", experiments);
  json("sweep", "its number in the queue", number);
}

std::string SweepJson(const SweepReport& report) { return Indented(ToJson(report)) + "\n"; }

}  // namespace ebb::report
