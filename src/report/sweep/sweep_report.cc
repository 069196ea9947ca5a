#include "report/sweep/sweep_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/text.h"
#include "report/text_table.h"
#include "report/units_text.h"
#include "sweep/condition.h"

namespace ebb::report {
namespace {

constexpr std::array<std::string_view, 8> kOutcomeNames{
    "done", "running", "stopped early", "paused", "waiting", "failed", "cancelled", "not run"};

bool IsRanked(const SweepRow& row) {
  return row.outcome == SweepOutcome::kDone && row.loss && std::isfinite(*row.loss);
}

std::string EmissionsCell(const SweepRow& row) {
  if (row.emissions) return EmissionsText(*row.emissions);
  return row.attempts > 0 ? "unknown" : "-";
}

template <typename T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json MachineJson(const SweepMachine& machine) {
  const auto grams = [](const std::optional<Emissions>& emissions) {
    return OrNull(emissions ? std::optional(emissions->grams) : std::nullopt);
  };
  return {{"idle_kwh", machine.idle.kwh()},
          {"idle_g", grams(machine.idle_emissions)},
          {"unattributed_kwh", machine.unattributed.kwh()},
          {"unattributed_g", grams(machine.unattributed_emissions)}};
}

nlohmann::ordered_json ParametersJson(const core::Parameters& parameters) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : parameters) json[name] = value;
  return json;
}

nlohmann::ordered_json RowJson(const SweepRow& row, int& rank) {
  const auto grams =
      row.emissions ? std::optional<double>(row.emissions->grams) : std::optional<double>();
  const auto ran = row.ran ? std::optional(Seconds(*row.ran)) : std::nullopt;
  nlohmann::ordered_json json;
  if (row.job) json["job"] = *row.job;
  json.update({{"rank", OrNull(IsRanked(row) ? std::optional(++rank) : std::nullopt)},
               {"name", row.name},
               {"tier", row.tier},
               {"parameters", ParametersJson(row.parameters)},
               {"outcome", Name(row.outcome)},
               {"loss", OrNull(row.loss)},
               {"loss_is_validation", row.loss_is_validation},
               {"epochs", row.epochs},
               {"energy_kwh", row.energy.kwh()},
               {"emissions_g", OrNull(grams)},
               {"waited_s", Seconds(row.waited)},
               {"running_time_s", OrNull(ran)},
               {"attempts", row.attempts},
               {"on_pareto_front", row.on_front},
               {"note", row.note}});
  return json;
}

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
  return !report.rows.empty() && IsRanked(report.rows.front()) ? &report.rows.front() : nullptr;
}

std::string_view Name(SweepOutcome outcome) {
  return kOutcomeNames[static_cast<std::size_t>(outcome)];
}

void Rank(SweepReport& report) {
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const SweepRow& a, const SweepRow& b) {
                     const auto key = [](const SweepRow& row) {
                       return std::tuple(!IsRanked(row), IsRanked(row) ? *row.loss : 0.0,
                                         static_cast<int>(row.outcome));
                     };
                     return key(a) < key(b);
                   });
  // From the best loss on, each that emits less than all before it. Equal losses: the fewest grams.
  std::optional<double> fewest;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    SweepRow& row = report.rows[i];
    row.on_front = false;
    if (!IsRanked(row) || !row.emissions) continue;
    const bool beaten_by_equal =
        std::any_of(report.rows.begin(), report.rows.end(), [&](const SweepRow& other) {
          return &other != &row && IsRanked(other) && other.emissions && *other.loss == *row.loss &&
                 other.emissions->grams < row.emissions->grams;
        });
    if (beaten_by_equal || (fewest && row.emissions->grams >= *fewest)) continue;
    row.on_front = true;
    fewest = row.emissions->grams;
  }
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

std::string SweepText(const SweepReport& report) {
  std::size_t longest = 10;
  for (const SweepRow& row : report.rows) longest = std::max(longest, ColumnsOf(row.name));
  std::string text = report.name + ": " + EnergyText(report.energy) + ", " +
                     EmissionsText(report.emissions) + " in all\n";
  text += "     " + Padded("experiment", longest) + "  tier  loss      emitted     energy      " +
          "waited    outcome\n";
  int place = 0;
  for (const SweepRow& row : report.rows) {
    text += Padded(IsRanked(row) ? std::to_string(++place) : "-", 3) + (row.on_front ? "* " : "  ");
    text += Padded(row.name, longest) + "  " + Padded(row.tier, 4) + "  ";
    text += Padded(row.loss ? FormatSignificant(*row.loss, 4) : "-", 8) + "  ";
    text += Padded(EmissionsCell(row), 10) + "  " + Padded(EnergyText(row.energy), 10) + "  ";
    text += Padded(row.attempts > 0 ? FormatDuration(row.waited) : "-", 8) + "  ";
    text += std::string(Name(row.outcome)) + (row.note.empty() ? "" : ": " + row.note) + "\n";
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

std::string SweepJson(const SweepReport& report) {
  const SweepRow* best = BestOf(report);
  const bool over = std::all_of(report.rows.begin(), report.rows.end(),
                                [](const SweepRow& row) { return IsOver(row.outcome); });
  nlohmann::ordered_json json{{"schema", "ebb.sweep-report/1"},
                              {"name", report.name},
                              {"best", OrNull(best ? std::optional(best->name) : std::nullopt)},
                              {"over", over},
                              {"energy_kwh", report.energy.kwh()},
                              {"emissions_g", report.emissions.grams},
                              {"stopped_early", report.stopped_early},
                              {"estimated_saved_kwh", report.saved_energy.kwh()},
                              {"estimated_saved_g", report.saved_emissions.grams},
                              {"notices", report.notices}};
  json["machine"] = report.machine ? MachineJson(*report.machine) : nlohmann::ordered_json(nullptr);
  json["varied_parameters"] = VariedParameters(report);
  json["experiments"] = nlohmann::ordered_json::array();
  int rank = 0;
  for (const SweepRow& row : report.rows) json["experiments"].push_back(RowJson(row, rank));
  if (report.number) json["sweep"] = *report.number;
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace ebb::report
