// A comparison as JSON: Ebb's own schema and NEO's comparison_report.json.
#include <algorithm>
#include <cmath>

#include "report/compare/compare.h"
#include "report/compare/compare_words.h"
#include "report/json_parts.h"

namespace ebb::report {
namespace {

Json EstimateJson(const Estimate& estimate) {
  Json interval = nullptr;
  if (estimate.interval) interval = Json::array({estimate.low(), estimate.high()});
  return {{"value", estimate.value}, {"interval_95", interval}, {"n", estimate.count}};
}

Json RunJson(const ComparedRun& run) {
  Json values = Json::object();
  for (const MetricInfo& info : Metrics())
    values[std::string(info.key)] = Maybe(run.Value(info.metric));
  const auto& training = run.record.spec.training;
  return {{"run_id", run.record.spec.run_id},
          {"name", run.record.spec.name},
          {"seed", training ? Json(training->seed) : Json(nullptr)},
          {"outcome", core::Name(run.summary.outcome)},
          {"grid_clock_replayed", run.record.spec.clock.replayed},
          {"grid_clock_speed", run.record.spec.clock.speed},
          {"skipped_waits", run.record.skipped_waits.size()},
          {"submitted", FormatTime(run.record.spec.submitted)},
          {"started", Maybe(run.summary.started)},
          {"metrics", values}};
}

Json RunIds(const Comparison& comparison, const std::vector<std::size_t>& runs) {
  Json ids = Json::array();
  for (const std::size_t run : runs) ids.push_back(comparison.runs[run].record.spec.run_id);
  return ids;
}

Json GroupJson(const Comparison& comparison, const Group& group) {
  Json metrics = Json::object();
  for (const GroupMetric& item : group.metrics)
    metrics[std::string(Info(item.metric).key)] = EstimateJson(item.mean);
  return {{"name", group.name},
          {"runs", RunIds(comparison, group.runs)},
          {"unfinished", RunIds(comparison, group.unfinished)},
          {"schedule", group.schedule},
          {"accumulation", group.accumulation},
          {"precision", group.precision},
          {"mean", metrics},
          {"schedule_effect_g",
           group.schedule_effect_g ? EstimateJson(*group.schedule_effect_g) : Json(nullptr)},
          {"schedule_effect_percent", Maybe(group.schedule_effect_percent)}};
}

Json DifferenceJson(const Comparison& comparison, const Difference& difference) {
  return {{"group", comparison.groups[difference.group].name},
          {"metric", Info(difference.metric).key},
          {"reference_mean", difference.reference_mean},
          {"group_mean", difference.group_mean},
          {"difference", EstimateJson(difference.difference)},
          {"percent", Maybe(difference.percent)},
          {"paired_by_seed", difference.paired},
          {"verdict", Name(difference.verdict)}};
}

Json FactorsJson(const FactorReport& factors) {
  Json varied = Json::array(), effects = Json::array(), confounded = Json::array();
  for (const Factor factor : factors.varied) varied.push_back(Name(factor));
  for (const FactorEffect& effect : factors.effects)
    effects.push_back({{"factor", Name(effect.factor)},
                       {"level", effect.level},
                       {"reference_level", effect.reference_level},
                       {"metric", Info(effect.metric).key},
                       {"effect", EstimateJson(effect.effect)},
                       {"percent", Maybe(effect.percent)},
                       {"verdict", Name(effect.verdict)}});
  for (const auto& set : factors.confounded) {
    Json names = Json::array();
    for (const Factor factor : set) names.push_back(Name(factor));
    confounded.push_back(names);
  }
  return {{"varied", varied},
          {"effects", effects},
          {"confounded", confounded},
          {"notes", factors.notes}};
}

const ComparedRun* FirstRun(const Comparison& comparison, const Group& group) {
  if (!group.runs.empty()) return &comparison.runs[group.runs.front()];
  if (!group.unfinished.empty()) return &comparison.runs[group.unfinished.front()];
  return nullptr;
}

// Mean of a figure over the group's finished runs that have it.
template <typename Get>
std::optional<double> MeanOver(const Comparison& comparison, const Group& group, Get get) {
  std::vector<double> values;
  for (const std::size_t run : group.runs)
    if (const std::optional<double> value = get(comparison.runs[run])) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return MeanOf(values).value;
}

std::optional<double> FinalIntensity(const ComparedRun& run) {
  // A run that never asked the grid has no intensity here, as in NEO's report.
  const auto& decisions = run.record.decisions;
  if (run.record.spec.policy == "now" || decisions.empty() || !decisions.back().reason.current)
    return std::nullopt;
  return decisions.back().reason.current->g_per_kwh;
}

struct NeoFigures {
  std::optional<double> emissions_kg, test_loss, test_accuracy, memory_gb, wait_s;
};

NeoFigures FiguresOf(const Group& group) {
  const auto mean = [&](Metric metric, double scale) -> std::optional<double> {
    const GroupMetric* item = FindMetric(group, metric);
    if (!item) return std::nullopt;
    return item->mean.value * scale;
  };
  return {mean(Metric::kEmissions, 1e-3), mean(Metric::kTestLoss, 1),
          mean(Metric::kTestAccuracy, 1), mean(Metric::kPeakMemory, 1e-9), mean(Metric::kWait, 1)};
}

Json NeoGroup(const Comparison& comparison, const Group& group) {
  const NeoFigures figures = FiguresOf(group);
  const auto training_mean = [&](double core::TrainingOutcome::*member) {
    return Maybe(MeanOver(comparison, group, [&](const ComparedRun& run) -> std::optional<double> {
      if (!run.record.training) return std::nullopt;
      return (*run.record.training).*member;
    }));
  };
  const ComparedRun* first = FirstRun(comparison, group);
  Json json{{"run_name", group.name},
            {"emissions_kg_co2", Maybe(figures.emissions_kg)},
            {"batch_size", nullptr},
            {"accumulation_steps", nullptr},
            {"effective_batch_size", nullptr},
            {"final_loss", training_mean(&core::TrainingOutcome::final_loss)},
            {"test_loss", Maybe(figures.test_loss)},
            {"test_accuracy", Maybe(figures.test_accuracy)},
            {"max_memory_gb", Maybe(figures.memory_gb)},
            {"avg_epoch_time", training_mean(&core::TrainingOutcome::average_epoch_seconds)},
            {"scheduler_wait_time", Maybe(figures.wait_s)},
            {"carbon_intensity", Maybe(MeanOver(comparison, group, FinalIntensity))},
            {"device", nullptr}};
  if (first && first->record.spec.training) {
    const core::TrainingSettings& training = *first->record.spec.training;
    json["batch_size"] = training.batch_size;
    json["accumulation_steps"] = training.accumulation_steps;
    json["effective_batch_size"] = training.batch_size * training.accumulation_steps;
  }
  if (first && first->record.training) json["device"] = first->record.training->device;
  return json;
}

std::optional<double> Minus(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return std::nullopt;
  return *a - *b;
}

std::optional<double> ReductionPercent(const std::optional<double>& before,
                                       const std::optional<double>& after) {
  const auto reduction = Minus(before, after);
  if (!reduction || *before == 0) return std::nullopt;
  return *reduction / *before * 100;
}

bool Completed(const Group& group) { return !group.runs.empty() && group.unfinished.empty(); }

bool Converged(const Comparison& comparison, const Group& group) {
  const auto loss = MeanOver(comparison, group,
                             [](const ComparedRun& run) { return run.Value(Metric::kTestLoss); });
  return loss && *loss < 1.0;
}

// NEO's five flags, computed rather than asserted.
Json NeoSummary(const Comparison& comparison, const Group& baseline, const Group& optimized,
                const Json& optimized_block) {
  const auto& steps = optimized_block["accumulation_steps"];
  const bool decided_by_grid = std::any_of(
      optimized.runs.begin(), optimized.runs.end(),
      [&](std::size_t run) { return FinalIntensity(comparison.runs[run]).has_value(); });
  return {{"baseline_completed", Completed(baseline)},
          {"optimized_completed", Completed(optimized)},
          {"gradient_accumulation_working",
           Completed(optimized) && steps.is_number() && steps.get<int>() > 1},
          {"carbon_scheduler_working", decided_by_grid},
          {"both_converged", Converged(comparison, baseline) && Converged(comparison, optimized)}};
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  Json runs = Json::array(), groups = Json::array(), differences = Json::array();
  for (const ComparedRun& run : comparison.runs) runs.push_back(RunJson(run));
  for (const Group& group : comparison.groups) groups.push_back(GroupJson(comparison, group));
  for (const Difference& difference : comparison.differences)
    differences.push_back(DifferenceJson(comparison, difference));
  return Document({{"schema", "ebb.comparison/1"},
                   {"reference", comparison.groups[comparison.reference].name},
                   {"headlines", comparison.headlines},
                   {"notices", comparison.notices},
                   {"groups", groups},
                   {"differences", differences},
                   {"factors", FactorsJson(comparison.factors)},
                   {"runs", runs}});
}

std::string NeoComparisonJson(const Comparison& comparison, Time generated_at) {
  const Group& baseline = comparison.groups[comparison.reference];
  const std::size_t other = comparison.reference == 0 ? 1 : 0;
  const Group& optimized = other < comparison.groups.size() ? comparison.groups[other] : baseline;
  const Json before = NeoGroup(comparison, baseline);
  const Json after = NeoGroup(comparison, optimized);
  const NeoFigures b = FiguresOf(baseline), o = FiguresOf(optimized);
  std::string generated = FormatTime(generated_at);
  generated.pop_back();  // NEO's stamp has no zone
  return Document(
      {{"generated_at", generated},
       {"baseline", before},
       {"optimized", after},
       {"comparison",
        {{"emissions_reduction_percent", Maybe(ReductionPercent(b.emissions_kg, o.emissions_kg))},
         {"memory_reduction_gb", Maybe(Minus(b.memory_gb, o.memory_gb))},
         {"memory_reduction_percent", Maybe(ReductionPercent(b.memory_gb, o.memory_gb))},
         {"accuracy_difference", Maybe(Minus(o.test_accuracy, b.test_accuracy))},
         {"scheduler_delay_seconds", Maybe(Minus(o.wait_s, b.wait_s))},
         {"effective_batch_size_same",
          before["effective_batch_size"] == after["effective_batch_size"]}}},
       {"summary", NeoSummary(comparison, baseline, optimized, after)}});
}

}  // namespace ebb::report
