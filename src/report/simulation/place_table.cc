#include "report/simulation/place_table.h"

#include "base/text.h"
#include "base/units_text.h"
#include "report/simulation/simulation_table.h"

namespace ebb::report {

TextTable PlaceTable(const sim::Experiment& experiment) {
  TextTable table{{"if each job had a device to itself", "emitted", "saved"}, {}, false};
  const auto& figures = experiment.comparison.place_and_time;
  if (!figures) return table;
  const double from = figures->home_at_once.grams;
  const auto add = [&](const char* what, Emissions emissions) {
    const std::string saved =
        from > 0 ? FormatFixed(100 * (1 - emissions.grams / from) + 0.0, 1) + " %" : "-";
    table.rows.push_back({what, EmissionsText(emissions), saved});
  };
  add("at submission, at home", figures->home_at_once);
  add("at home, at its best time", figures->home_best_time);
  add("at submission, at its best site", figures->best_place_at_once);
  add("at its best site and time", figures->best_place_and_time);
  return table;
}

std::string PlaceSentence() {
  return "in hindsight, in one piece, with moves between sites counted; summed over start dates";
}

std::string MovesSentence(const sim::PolicyFigures& policy) {
  if (policy.moves == 0) return "";
  return policy.label + ": " + std::to_string(policy.moves) +
         (policy.moves == 1 ? " move" : " moves") + " between sites, " +
         EnergyText(policy.move_use.energy) + ", " + EmittedText(policy.move_use) +
         " in its figures";
}

}  // namespace ebb::report
