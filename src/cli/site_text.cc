#include "cli/site_text.h"

#include <nlohmann/json.hpp>

#include "base/units_text.h"
#include "cli/fitted_text.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

// "8.0s, 60.0 Wh"; empty if nothing moves.
std::string MoveCell(const Json& choice) {
  if (!choice.contains("move_s")) return "";
  return FormatDuration(DurationFromSeconds(choice["move_s"])) + ", " +
         EnergyText(Energy::Joules(choice.value("move_kwh", 0.0) * 3.6e6));
}

std::string NoteOf(const Json& choice) {
  return choice.value("late", false) ? "too late for its deadline" : choice.value("why_not", "");
}

}  // namespace

std::string SiteChoicesText(const std::string& job, const LocalTimes& times) {
  const Json json = Json::parse(job, nullptr, false);
  if (!json.is_object() || !json.contains("site_choices")) return "";
  report::TextTable table;
  table.headers = {"site", "best start", "would emit", "the move takes", "note"};
  table.texts = {1};
  table.ends_in_text = true;
  for (const Json& choice : json["site_choices"]) {
    const bool can = choice.contains("expected_g");
    table.rows.push_back({choice.value("site", ""), times.InText(choice.value("start", "")),
                          can ? EmissionsText({choice["expected_g"]}) : "", MoveCell(choice),
                          NoteOf(choice)});
  }
  return "what is left of it, alone at each site:\n" + FittedText(std::move(table));
}

}  // namespace ebb::cli
