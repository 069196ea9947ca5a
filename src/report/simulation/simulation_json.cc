#include "report/simulation/simulation_json.h"

#include <nlohmann/json.hpp>

#include "report/run/known_emissions.h"
#include "sim/cost.h"

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

// Larger schedules are left out: programs can read the trace themselves.
constexpr std::size_t kMostScheduledJobs = 2000;

Json EstimateJson(const std::optional<sim::Estimate>& estimate) {
  if (!estimate) return nullptr;
  Json json{{"value", estimate->value}, {"low", nullptr}, {"high", nullptr}};
  if (estimate->low) json["low"] = *estimate->low;
  if (estimate->high) json["high"] = *estimate->high;
  return json;
}

// The grams of a use; null if unknown, which is not 0.
Json GramsJson(const sim::Use& use) {
  const auto known = KnownPart(use.emissions, use.energy, use.energy_without_intensity);
  return known ? Json(known->grams) : Json(nullptr);
}

Json UseJson(const sim::Use& use) {
  return {{"energy_kwh", use.energy.kwh()},
          {"energy_without_intensity_kwh", use.energy_without_intensity.kwh()},
          {"emissions_g", GramsJson(use)}};
}

// The energy of free devices; null if unknown.
Json IdleJson(const sim::Use& idle, bool is_known) {
  if (is_known) return UseJson(idle);
  return {
      {"energy_kwh", nullptr}, {"energy_without_intensity_kwh", nullptr}, {"emissions_g", nullptr}};
}

Json StartJson(const sim::StartFigures& start, bool idle_is_known) {
  const Json idle = IdleJson(start.idle, idle_is_known);
  return {{"start", FormatTime(start.start)},
          {"energy_kwh", start.use.energy.kwh()},
          {"emissions_g", GramsJson(start.use)},
          {"idle_energy_kwh", idle["energy_kwh"]},
          {"idle_emissions_g", idle["emissions_g"]},
          {"makespan_h", Hours(start.makespan)},
          {"late_starts", start.late_starts},
          {"late_ends", start.late_ends},
          {"pauses", start.pauses}};
}

Json PolicyJson(const sim::PolicyFigures& policy, bool idle_is_known) {
  Json json{{"label", policy.label}, {"policy", policy.policy}, {"jobs", policy.jobs}};
  json.update(UseJson(policy.use));
  json["idle"] = IdleJson(policy.idle, idle_is_known);
  json["saving_percent"] = EstimateJson(policy.saving_percent);
  json["saving_with_idle_percent"] =
      idle_is_known ? EstimateJson(policy.saving_with_idle_percent) : Json(nullptr);
  json["saving_on_edf_percent"] = EstimateJson(policy.saving_on_edf_percent);
  json["share_captured_percent"] = EstimateJson(policy.share_captured_percent);
  json["mean_wait_h"] = policy.mean_wait_h;
  json["p95_wait_h"] = policy.p95_wait_h;
  json["mean_stretch"] = policy.mean_stretch;
  json["mean_makespan_h"] = policy.mean_makespan_h;
  json["late_starts"] = policy.late_starts;
  json["late_ends"] = policy.late_ends;
  json["pauses"] = policy.pauses;
  json["pause_energy_kwh"] = policy.pause_energy.kwh();
  json["start_dates_worse_than_run_now"] = policy.worse_than_run_now;
  json["starts"] = Json::array();
  for (const sim::StartFigures& start : policy.starts)
    json["starts"].push_back(StartJson(start, idle_is_known));
  return json;
}

Json CostJson(const sim::PolicyFigures& policy) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const auto mean = policy.cost.MeanPerKwh();
  return {{"amount", mean ? Json(policy.cost.amount) : Json(nullptr)},
          {"mean_price_per_kwh", number(mean)},
          {"share_of_energy_without_price", policy.cost.UnknownShare()},
          {"saving_percent", number(policy.cost_saving_percent)}};
}

// The bounds by start date.
Json BoundJson(const sim::Comparison& comparison) {
  if (comparison.bound_g.empty()) return nullptr;
  Json grams = Json::array();
  for (std::size_t i = 0; i < comparison.bound_g.size(); ++i) grams.push_back(nullptr);
  for (const std::size_t start : comparison.known_starts) grams[start] = comparison.bound_g[start];
  return {{"method", comparison.bound_method},
          {"saving_percent", EstimateJson(comparison.bound_saving_percent)},
          {"emissions_g", std::move(grams)}};
}

// The time and place of each job from the first start date.
Json ScheduleJson(const sim::Simulation& simulation, const core::Cluster& cluster) {
  Json jobs = Json::array();
  for (std::size_t i = 0; i < simulation.jobs.size(); ++i) {
    Json segments = Json::array();
    for (const plan::Segment& segment : simulation.outcomes[i].segments)
      segments.push_back({{"site", cluster.SiteOf(segment.pool).name},
                          {"model", cluster.pools[static_cast<std::size_t>(segment.pool)].model},
                          {"begin", FormatTime(segment.time.begin)},
                          {"end", FormatTime(segment.time.end)}});
    jobs.push_back({{"name", simulation.jobs[i].name},
                    {"submitted", FormatTime(simulation.jobs[i].submitted)},
                    {"emissions_g", GramsJson(simulation.outcomes[i].use)},
                    {"segments", std::move(segments)}});
  }
  return jobs;
}

Json SignalJson(const sim::Scenario& scenario, const sim::Outlook& outlook, std::size_t site) {
  const core::SignalIdentity& identity = outlook.truth.identity();
  return {{"site", scenario.cluster.sites[site].name},
          {"zone", identity.zone},
          {"kind", core::Name(identity.kind)},
          {"boundary", core::Name(identity.boundary)},
          {"source", identity.source},
          {"forecast_method", outlook.forecast.method}};
}

Json PublishedJson(const sim::Experiment& experiment) {
  Json json{{"source", experiment.scenario.published->source}, {"figures", Json::array()}};
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  for (const sim::PublishedComparison& row : experiment.published)
    json["figures"].push_back({{"name", row.figure.name},
                               {"policy", row.figure.policy},
                               {"metric", row.figure.metric},
                               {"published", number(row.figure.published)},
                               {"recomputed", number(row.figure.recomputed)},
                               {"ours", number(row.ours)}});
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
    json["signals"].push_back(SignalJson(scenario, experiment.outlooks[site], site));
  json["start_dates"] = Json::array();
  for (const Time start : comparison.starts) json["start_dates"].push_back(FormatTime(start));
  json["start_dates_compared"] = comparison.known_starts.size();
  json["bound"] = BoundJson(comparison);
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
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ebb::report
