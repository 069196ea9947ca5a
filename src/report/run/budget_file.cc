#include "report/run/budget_file.h"

#include <nlohmann/json.hpp>

#include "report/json_fields.h"

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSet = "set";

Json Maybe(std::optional<double> number) { return number ? Json(*number) : Json(nullptr); }

// Energy is stored as whole microjoules so that a limit reads back as the same limit.
Status AddLimits(JsonFields& fields, core::BudgetRecord& record) {
  core::Budget budget;
  if (fields.Has("energy_uj")) budget.energy = Energy::Microjoules(fields.Integer("energy_uj"));
  if (const auto grams = fields.MaybeNumber("emissions_g")) budget.emissions = Emissions{*grams};
  budget.action = fields.Named("action", core::BudgetActionFromName);
  budget.grace = Duration{fields.Integer("grace_ms")};
  EBB_RETURN_IF_ERROR(fields.status());
  record.budget = budget;
  return {};
}

}  // namespace

std::string BudgetToJson(const core::Budget& budget, int attempt) {
  Json json{{"event", kSet}, {"attempt", attempt}, {"energy_uj", nullptr}};
  if (budget.energy) json["energy_uj"] = budget.energy->microjoules();
  json["energy_kwh"] = Maybe(budget.Limit(core::BudgetMeasure::kEnergy));
  json["emissions_g"] = Maybe(budget.Limit(core::BudgetMeasure::kEmissions));
  json["action"] = core::Name(budget.action);
  json["grace_ms"] = budget.grace.count();
  return json.dump();
}

std::string BudgetEventToJson(const core::BudgetEvent& event) {
  return Json{{"event", core::Name(event.level)},
              {"attempt", event.attempt},
              {"measure", core::Name(event.measure)},
              {"unit", core::UnitOf(event.measure)},
              {"limit", event.limit},
              {"used", event.used},
              {"expected", event.expected},
              {"action", core::Name(event.action)},
              {"wall_ms", Milliseconds(event.wall)},
              {"grid_ms", Milliseconds(event.grid)}}
      .dump();
}

Status AddBudgetLine(std::string_view line, std::string where, core::BudgetRecord& record) {
  EBB_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Parse(line, std::move(where)));
  if (fields.Text("event") == kSet) return AddLimits(fields, record);
  core::BudgetEvent event;
  event.level = fields.Named("event", core::BudgetLevelFromName);
  event.attempt = fields.Count("attempt");
  event.measure = fields.Named("measure", core::BudgetMeasureFromName);
  event.limit = fields.Number("limit");
  event.used = fields.Number("used");
  event.expected = fields.Number("expected");
  event.action = fields.Named("action", core::BudgetActionFromName);
  event.wall = fields.Instant("wall_ms");
  event.grid = fields.Instant("grid_ms");
  EBB_RETURN_IF_ERROR(fields.status());
  record.events.push_back(event);
  return {};
}

}  // namespace ebb::report
