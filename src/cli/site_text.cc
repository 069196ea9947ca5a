#include "cli/site_text.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units_text.h"
#include "cli/fitted_text.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string IntensityCell(const Json& site, const char* key) {
  return site.contains(key) ? IntensityText({site[key]}) : "unknown";
}

// "21 g/kWh", with a remark if nobody reports that value now.
std::string NowCell(const Json& site) {
  const std::string value = IntensityCell(site, "g_per_kwh");
  if (site.contains("lost")) return value + " (source lost)";
  return value + (site.value("status", "") == "modelled" ? " (modelled)" : "");
}

// "18 g/kWh at 03:00"
std::string CleanestCell(const Json& site, const LocalTimes& times) {
  if (!site.contains("cleanest_hour")) return "";
  return IntensityCell(site, "cleanest_hour_g_per_kwh") + " at " +
         times.InText(site.value("cleanest_hour", ""));
}

// "1 of 2", "1 of 2, 3 away"
std::string FreeCell(const Json& site) {
  const int away = site.value("away", 0);
  return std::to_string(site.value("free", 0)) + " of " + std::to_string(site.value("devices", 0)) +
         (away > 0 ? ", " + std::to_string(away) + " away" : "");
}

// "7 train, 9 evaluate"
std::string JobsCell(const Json& site) {
  std::string text;
  for (const Json& job : site.value("jobs", Json::array()))
    text += (text.empty() ? "" : ", ") + std::to_string(job.value("id", 0)) + " " +
            job.value("name", "");
  return text;
}

// "8.0s, 60.0 Wh"; empty if nothing moves.
std::string MoveCell(const Json& choice) {
  if (!choice.contains("move_s")) return "";
  return FormatDuration(DurationFromSeconds(choice["move_s"])) + ", " +
         EnergyText(Energy::Joules(choice.value("move_kwh", 0.0) * 3.6e6));
}

std::string NoteOf(const Json& choice) {
  return choice.value("late", false) ? "too late for its deadline" : choice.value("why_not", "");
}

// "120 g", "unknown", or what it waits for.
std::string GramsCell(const Json& figures, const char* key, const char* otherwise) {
  return figures.contains(key) ? EmissionsText({figures[key]}) : otherwise;
}

// The share of the possible saving; empty if that is unknown, or if nothing could be saved.
std::string ReachedLine(const Json& figures) {
  if (!figures.contains("best_g") || !figures.contains("saving_g")) return "";
  constexpr double kRounding = 1e-5;  // of the grams, below which a saving is none
  const double home = figures["home_at_once_g"], saved = figures["saving_g"];
  const double possible = home - figures["best_g"].get<double>();
  if (possible <= kRounding * home)
    return "neither another place nor another time would have saved anything\n";
  return "as it ran, it saved " + FormatFixed(100 * saved / possible + 0.0, 0) + " % of the " +
         EmissionsText({possible}) + " that place and time could save\n";
}

// The emissions of the job, with those of its moves.
std::string AsItRanCell(const Json& json, const Json& figures) {
  if (!json.contains("emissions_g") || !figures.contains("moves_g")) return "unknown";
  return EmissionsText({json["emissions_g"].get<double>() + figures["moves_g"].get<double>()});
}

}  // namespace

std::string SitesText(const std::string& answer, std::optional<LocalTimes> times) {
  const Json json = Json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("sites")) return "";
  if (!times) times = LocalTimes::OfService(json.value("now", ""));
  report::TextTable table;
  table.headers = {"site", "zone", "now", "next 24 hours", "cleanest hour", "free devices", "runs"};
  table.texts = {1};
  table.ends_in_text = true;
  for (const Json& site : json["sites"])
    table.rows.push_back({site.value("site", ""), site.value("zone", ""), NowCell(site),
                          IntensityCell(site, "next_24_hours_g_per_kwh"),
                          CleanestCell(site, *times), FreeCell(site), JobsCell(site)});
  return FittedText(std::move(table));
}

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

std::string PlaceAndTimeText(const std::string& job, const LocalTimes& times) {
  const Json json = Json::parse(job, nullptr, false);
  if (!json.is_object() || !json.contains("place_and_time")) return "";
  const Json& figures = json["place_and_time"];
  const auto text = [&](const char* key) { return figures.value(key, ""); };
  report::TextTable table;
  table.headers = {"the same energy in one piece", "emits", "site", "start"};
  table.texts = {2};
  table.ends_in_text = true;
  constexpr const char* kNotYet = "not known yet";
  table.rows.push_back(
      {"at submission, at home", GramsCell(figures, "home_at_once_g", ""), "", ""});
  table.rows.push_back({"at home, at its best time", GramsCell(figures, "home_best_g", kNotYet), "",
                        times.InText(text("home_start"))});
  table.rows.push_back({"at submission, at its best site",
                        GramsCell(figures, "place_at_once_g", ""), text("site_at_once"), ""});
  const bool as_it_ran = figures.value("best_is_as_it_ran", false);
  table.rows.push_back({"at its best site and time", GramsCell(figures, "best_g", kNotYet),
                        as_it_ran ? "as it ran" : text("best_site"),
                        times.InText(text("best_start"))});
  table.rows.push_back({"as it ran, moves included", AsItRanCell(json, figures), "", ""});
  return "in hindsight, with moves between sites counted:\n" + FittedText(std::move(table)) +
         ReachedLine(figures);
}

}  // namespace ebb::cli
