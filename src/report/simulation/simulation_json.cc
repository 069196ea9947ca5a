#include "report/simulation/simulation_json.h"

#include "report/json_parts.h"
#include "report/simulation/simulation_table.h"
#include "sim/cost.h"

namespace ebb::report {
namespace {

// Larger schedules are left out: programs can read the trace themselves.
constexpr std::size_t kMostScheduledJobs = 2000;

Json StartJson(const sim::StartFigures& start, bool idle_is_known) {
  return {{"start", FormatTime(start.start)},
          {"energy_kwh", start.use.energy.kwh()},
          {"emissions_g", Maybe(KnownEmissions(start.use))},
          {"idle_energy_kwh", idle_is_known ? Json(start.idle.energy.kwh()) : Json()},
          {"idle_emissions_g", idle_is_known ? Maybe(KnownEmissions(start.idle)) : Json()},
          {"makespan_h", Hours(start.makespan)},
          {"late_starts", start.late_starts},
          {"late_ends", start.late_ends},
          {"pauses", start.pauses}};
}

Json PolicyJson(const sim::PolicyFigures& policy, bool idle_is_known) {
  Json json = RowJson(PolicyColumns(idle_is_known), policy);
  if (policy.moves > 0) {
    json["moves"] = policy.moves;
    json["move_use"] = {{"energy_kwh", policy.move_use.energy.kwh()},
                        {"emissions_g", Maybe(KnownEmissions(policy.move_use))}};
  }
  json["starts"] = Json::array();
  for (const sim::StartFigures& start : policy.starts)
    json["starts"].push_back(StartJson(start, idle_is_known));
  return json;
}

Json PlaceJson(const sim::PlaceAndTime& figures) {
  return {{"home_at_once_g", figures.home_at_once.grams},
          {"home_best_time_g", figures.home_best_time.grams},
          {"best_place_at_once_g", figures.best_place_at_once.grams},
          {"best_place_and_time_g", figures.best_place_and_time.grams}};
}

Json CostJson(const sim::PolicyFigures& policy) {
  const auto mean = policy.cost.MeanPerKwh();
  return {{"amount", mean ? Json(policy.cost.amount) : Json()},
          {"mean_price_per_kwh", Maybe(mean)},
          {"share_of_energy_without_price", policy.cost.UnknownShare()},
          {"saving_percent", Maybe(policy.cost_saving_percent)}};
}

// The bounds by start date.
Json BoundJson(const sim::Comparison& comparison) {
  if (comparison.bound_g.empty()) return nullptr;
  Json grams = Json::array();
  for (std::size_t i = 0; i < comparison.bound_g.size(); ++i) grams.push_back(nullptr);
  for (const std::size_t start : comparison.known_starts) grams[start] = comparison.bound_g[start];
  const std::vector<Column<sim::Comparison>> columns{
      {"method", &sim::Comparison::bound_method},
      {"saving_percent", [](const auto& bound) { return WithBounds(bound.bound_saving_percent); }}};
  Json json = RowJson(columns, comparison);
  json["emissions_g"] = std::move(grams);
  return json;
}

// The time and place of each job from the first start date.
Json ScheduleJson(const sim::Simulation& simulation, const core::Cluster& cluster) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < simulation.jobs.size(); ++i)
    jobs.push_back(
        {{"name", simulation.jobs[i].name},
         {"submitted", FormatTime(simulation.jobs[i].submitted)},
         {"emissions_g", Maybe(KnownEmissions(simulation.outcomes[i].use))},
         {"segments", SegmentsJson(simulation.jobs[i], simulation.outcomes[i].segments, cluster)}});
  return jobs;
}

Json SiteJson(const std::string& site, const sim::Outlook& outlook) {
  Json json{{"site", site}};
  json.update(SignalJson(outlook.truth.identity()));
  json["forecast_method"] = outlook.forecast.method;
  return json;
}

Json PublishedJson(const sim::Experiment& experiment) {
  Json json{{"source", experiment.scenario.published->source}, {"figures", Json::array()}};
  for (const sim::PublishedComparison& row : experiment.published)
    json["figures"].push_back({{"name", row.figure.name},
                               {"policy", row.figure.policy},
                               {"metric", row.figure.metric},
                               {"published", Maybe(row.figure.published)},
                               {"recomputed", Maybe(row.figure.recomputed)},
                               {"ours", Maybe(row.ours)}});
  return json;
}

}  // namespace

std::string SimulationJson(const sim::Experiment& experiment) {
  const sim::Scenario& scenario = experiment.scenario;
  const sim::Comparison& comparison = experiment.comparison;
  Json json;
  json["schema"] = "ebb.simulation/1";
  json["name"] = scenario.name;
  json["description"] = scenario.description;
  json["notes"] = experiment.notes;
  json["jobs"] = scenario.jobs.size();
  json["forecast"] = sim::Name(scenario.forecast);
  json["idle_draw"] = sim::Name(scenario.idle_draw);
  json["idle_unknown"] = scenario.unknown_idle;
  json["signals"] = Json::array();
  for (std::size_t site = 0; site < experiment.outlooks.size(); ++site)
    json["signals"].push_back(
        SiteJson(scenario.cluster.sites[site].name, experiment.outlooks[site]));
  json["start_dates"] = Json::array();
  for (const Time start : comparison.starts) json["start_dates"].push_back(FormatTime(start));
  json["start_dates_compared"] = comparison.known_starts.size();
  json["bound"] = BoundJson(comparison);
  if (comparison.place_and_time) json["place_and_time"] = PlaceJson(*comparison.place_and_time);
  json["policies"] = Json::array();
  for (std::size_t i = 0; i < comparison.policies.size(); ++i) {
    json["policies"].push_back(PolicyJson(comparison.policies[i], scenario.unknown_idle.empty()));
    if (sim::HasMoney(scenario.prices))
      json["policies"].back()["cost"] = CostJson(comparison.policies[i]);
    if (i < experiment.first_start.size() && scenario.jobs.size() <= kMostScheduledJobs)
      json["policies"].back()["first_schedule"] =
          ScheduleJson(experiment.first_start[i], scenario.cluster);
  }
  const std::string currency = sim::CurrencyOf(scenario.prices);
  if (!currency.empty()) json["currency"] = currency;
  if (scenario.published) json["published"] = PublishedJson(experiment);
  return Document(json);
}

}  // namespace ebb::report
