// The summary of a run as JSON: Ebb's own schema and NEO's.
#include "base/field_text.h"
#include "core/run/power_choice_fields.h"
#include "platform/file.h"
#include "report/json_parts.h"
#include "report/run/figures.h"
#include "report/run/known_emissions.h"
#include "report/run/run_directory.h"
#include "report/run/summary.h"
#include "report/run/width_course.h"

namespace ebb::report {
namespace {

double Share(Energy part, Energy whole) {
  return whole == Energy{}
             ? 0
             : static_cast<double>(part.microjoules()) / static_cast<double>(whole.microjoules());
}

Json EnergyJson(const core::LedgerTotals& totals) {
  return {
      {"it_j", totals.energy.joules()},
      {"facility_j", totals.facility_energy.joules()},
      {"it_kwh", totals.energy.kwh()},
      {"by_component_j",
       {{"cpu", totals.cpu.joules()}, {"gpu", totals.gpu.joules()}, {"ram", totals.ram.joules()}}},
      {"by_source_j",
       {{"counter", totals.by_counter.joules()},
        {"power_integral", totals.by_power_integral.joules()},
        {"model", totals.by_model.joules()}}},
      {"share_by_intensity_status",
       {{"measured", Share(totals.on_measured, totals.energy)},
        {"estimated", Share(totals.on_estimated, totals.energy)},
        {"forecast", Share(totals.on_forecast, totals.energy)},
        {"modelled", Share(totals.on_modelled, totals.energy)},
        {"unknown", Share(totals.energy_without_intensity, totals.energy)}}},
      {"without_intensity_j", totals.energy_without_intensity.joules()}};
}

constexpr auto kKilograms = [](Emissions emissions) { return emissions.grams / 1000; };

// `energy` is that of the run.
Json AlternativeJson(const std::optional<Alternative>& alternative, Energy energy) {
  if (!alternative) return nullptr;
  Json json{{"start", FormatTime(alternative->run.start)},
            {"emissions_g", Maybe(KnownEmissions(alternative->run, energy))},
            {"energy_without_intensity_j", alternative->run.energy_without_intensity.joules()},
            {"saving_g", Maybe(alternative->saving)},
            {"saving_percent", Maybe(alternative->saving_percent)}};
  if (alternative->half_width_g) {
    json["saving_half_width_g"] = *alternative->half_width_g;
    json["clear"] = alternative->IsClear();
  }
  return json;
}

Json HadItWaitedJson(const HadItWaited& waited) {
  return {{"up_to_s", Seconds(waited.up_to)},
          {"start", FormatTime(waited.start)},
          {"expected_g", waited.at_best.grams},
          {"expected_g_at_once", waited.at_once.grams},
          {"saving_percent", Maybe(waited.SavingPercent())},
          {"forecast_method", waited.forecast_method},
          {"forecast_issued", FormatTime(waited.forecast_issued)},
          {"estimated", true}};
}

Json CostJson(const core::RunRecord& run, const CostSummary& cost) {
  const core::RunPrices& prices = *run.spec.prices;
  return {{"currency", prices.identity.currency},
          {"amount", cost.actual.amount},
          {"mean_price_per_kwh", Maybe(cost.actual.MeanPerKwh())},
          {"share_of_energy_without_price", cost.actual.UnknownShare()},
          {"same_energy_at_submission",
           Maybe(cost.at_submission, [](const core::Cost& other) { return other.amount; })},
          {"saving", Maybe(cost.saving)},
          {"source", prices.identity.source},
          {"price_weight", prices.weight},
          {"price_threshold_per_kwh", Maybe(prices.threshold)}};
}

Json EpochsJson(const Summary& summary) {
  Json epochs = Json::array();
  for (const EpochSummary& item : summary.epochs) {
    epochs.push_back({{"epoch", item.epoch.number},
                      {"begin", FormatTime(item.epoch.wall.begin)},
                      {"seconds", Seconds(item.epoch.wall.length())},
                      {"energy_j", item.totals.energy.joules()},
                      {"emissions_g", Maybe(KnownEmissions(item.totals))},
                      {"without_intensity_j", item.totals.energy_without_intensity.joules()},
                      {"train_loss", Maybe(item.epoch.train_loss)},
                      {"test_loss", Maybe(item.epoch.test_loss)},
                      {"test_accuracy_percent", Maybe(item.epoch.test_accuracy_percent)}});
  }
  return epochs;
}

// The attempts of an elastic run with their devices; empty for other runs.
Json WidthsJson(const core::RunRecord& run) {
  Json widths = Json::array();
  for (const WidthStretch& stretch : WidthCourse(run))
    widths.push_back({{"begin", FormatTime(stretch.grid.begin)},
                      {"end", FormatTime(stretch.grid.end)},
                      {"running_time_s", Seconds(stretch.wall.length())},
                      {"devices", stretch.devices},
                      {"energy_j", stretch.totals.energy.joules()},
                      {"emissions_g", Maybe(KnownEmissions(stretch.totals))}});
  return widths;
}

// The work that the program reported, and what one unit of it took; null without a report.
Json WorkJson(const core::RunRecord& run, const Summary& summary) {
  if (run.work.empty()) return nullptr;
  Json json;
  for (const core::WorkUnit unit : core::kWorkUnits) {
    const auto count = run.work.*core::CountOf(unit);
    json[std::string(core::Name(unit)) + "s"] = count ? Json(*count) : Json(nullptr);
  }
  for (const core::UnitUse& use : summary.per_unit) {
    json[core::EnergyPerKey(use.unit)] = use.joules;
    json[core::EmissionsPerKey(use.unit)] = Maybe(use.grams);
  }
  return json;
}

Json TrainingJson(const core::RunRecord& run) {
  if (!run.training) return nullptr;
  const core::TrainingOutcome& training = *run.training;
  Json json{{"final_loss", training.final_loss},
            {"test_loss", training.test_loss},
            {"test_accuracy_percent", training.test_accuracy_percent},
            {"peak_tensor_bytes", training.peak_tensor_bytes},
            {"average_epoch_seconds", training.average_epoch_seconds},
            {"samples_per_second", training.samples_per_second},
            {"device", training.device},
            {"parameters_sha256", training.parameters_sha256}};
  for (const core::RankShareChange& change : training.rank_shares)
    json["rank_shares"].push_back({{"step", change.step}, {"samples", change.samples}});
  return json;
}

Json ClockJson(const core::RunRecord& run) {
  Json waits = Json::array();
  for (const core::SkippedWait& wait : run.skipped_waits)
    waits.push_back({{"begin", FormatTime(wait.grid.begin)},
                     {"end", FormatTime(wait.grid.end)},
                     {"seconds", Seconds(wait.grid.length())}});
  return {{"replayed", run.spec.clock.replayed},
          {"begin", run.spec.clock.replayed ? Json(FormatTime(run.spec.clock.begin)) : Json()},
          {"speed", run.spec.clock.speed},
          {"skipped_waits", waits},
          {"notices", ReplayNotices(run)}};
}

Json ScheduleJson(const core::RunRecord& run, const Summary& summary) {
  Json last = nullptr;
  if (!run.decisions.empty())
    last = {{"action", core::Name(run.decisions.back().action)},
            {"rule", core::Name(run.decisions.back().reason.rule)},
            {"reason", Sentence(run.decisions.back())}};
  return {{"policy", run.spec.policy},
          {"threshold_g_per_kwh", Maybe(run.spec.threshold)},
          {"submitted", FormatTime(run.spec.submitted)},
          {"start_by", Maybe(run.spec.start_by)},
          {"started", Maybe(summary.started)},
          {"ended", FormatTime(summary.ended)},
          {"waited_s", Seconds(summary.waited)},
          {"decisions", run.decisions.size()},
          {"last_decision", last}};
}

Json NeoConfig(const core::RunRecord& run) {
  if (!run.spec.training) return Json{{"training", {{"run_name", run.spec.name}}}};
  const core::TrainingSettings& training = *run.spec.training;
  return {{"training",
           {{"run_name", run.spec.name},
            {"batch_size", training.batch_size},
            {"gradient_accumulation_steps", training.accumulation_steps},
            {"epochs", training.epochs},
            {"learning_rate", training.learning_rate},
            {"model_save_path", training.model_path},
            {"precision", training.precision},
            {"seed", training.seed}}}};
}

Json NeoScheduleDecision(const core::RunRecord& run, const Summary& summary) {
  const core::GateDecision* last = run.decisions.empty() ? nullptr : &run.decisions.back();
  return {{"started", summary.started.has_value()},
          {"wait_time_seconds", Seconds(summary.waited)},
          {"checks_performed", run.decisions.size()},
          {"final_intensity", last ? Maybe(last->reason.current) : Json()},
          {"reason", last ? Json(Sentence(*last)) : Json(nullptr)}};
}

Json BudgetJson(const core::RunRecord& run) {
  if (!run.budget.budget) return nullptr;
  const core::BudgetUse use = core::UseOf(run.ledger);
  Json limits = Json::array();
  for (const auto measure : {core::BudgetMeasure::kEnergy, core::BudgetMeasure::kEmissions}) {
    const auto limit = run.budget.budget->Limit(measure);
    if (limit)
      limits.push_back({{"measure", core::Name(measure)},
                        {"unit", core::UnitOf(measure)},
                        {"limit", *limit},
                        {"used", Maybe(use.Of(measure))}});
  }
  Json events = Json::array();
  for (const core::BudgetEvent& event : run.budget.events)
    events.push_back({{"event", core::Name(event.level)},
                      {"measure", core::Name(event.measure)},
                      {"attempt", event.attempt},
                      {"time", FormatTime(event.wall)},
                      {"limit", event.limit},
                      {"used", event.used},
                      {"text", core::BudgetText(event)}});
  return {{"action", core::Name(run.budget.budget->action)},
          {"grace_s", Seconds(run.budget.budget->grace)},
          {"limits", limits},
          {"events", events}};
}

// The lines of power-cap.jsonl.
Json PowerCapJson(const core::RunRecord& run) {
  Json choices = Json::array();
  for (const core::PowerChoice& choice : run.power_choices)
    choices.push_back(Json::parse(ToFieldText(choice, FieldStyle::kComplete)));
  return choices;
}

Json FiguresJson(const core::RunRecord& run, const Summary& summary) {
  Json figures = Json::array();
  for (const Figure& figure : FiguresOf(run, summary))
    figures.push_back({{"figure", figure.name},
                       {"value", figure.value},
                       {"low", figure.band.low},
                       {"high", figure.band.high},
                       {"basis", figure.basis},
                       {"sources", figure.sources}});
  return figures;
}

Json VersionJson(const std::vector<core::SignalVersion>& versions) {
  return {{"number", versions.size()},
          {"asked_at", FormatTime(versions.back().asked_at)},
          {"final", versions.back().is_final}};
}

// The same energy on the other kind of intensity.
Json OtherSignalJson(const core::RunRecord& run, const Summary& summary) {
  if (!summary.other) return nullptr;
  const core::LedgerTotals& totals = summary.other->totals;
  Json json = run.spec.other_signal ? SignalJson(*run.spec.other_signal)
                                    : Json{{"kind", core::Name(summary.other->kind)}};
  json["emissions_g"] = Maybe(KnownEmissions(totals));
  json["mean_intensity_g_per_kwh"] = Maybe(totals.MeanIntensity());
  json["without_intensity_j"] = totals.energy_without_intensity.joules();
  return json;
}

// Embodied emissions are separate from all other figures: they were spent before the run began.
Json EmbodiedJson(const core::RunRecord& run, const Summary& summary) {
  if (!summary.embodied) return nullptr;
  return {{"emissions_g", summary.embodied->grams},
          {"hardware_total_g", run.spec.embodied->total.grams},
          {"lifetime_h", Hours(run.spec.embodied->lifetime)},
          {"share", run.spec.embodied->share},
          {"in_totals", false}};
}

double UnixSeconds(Time time) { return Seconds(time.time_since_epoch()); }

Json NeoTrainingMetrics(const core::RunRecord& run) {
  Json metrics{{"final_loss", nullptr},     {"test_loss", nullptr},     {"test_accuracy", nullptr},
               {"total_epochs", nullptr},   {"start_time", nullptr},    {"end_time", nullptr},
               {"avg_epoch_time", nullptr}, {"max_memory_gb", nullptr}, {"device", nullptr}};
  if (run.spec.training) metrics["total_epochs"] = run.spec.training->epochs;
  if (!run.attempts.empty()) {
    metrics["start_time"] = UnixSeconds(run.attempts.front().wall.begin);
    metrics["end_time"] = UnixSeconds(run.attempts.back().wall.end);
  }
  if (!run.training) return metrics;
  metrics["final_loss"] = run.training->final_loss;
  metrics["test_loss"] = run.training->test_loss;
  metrics["test_accuracy"] = run.training->test_accuracy_percent;
  metrics["avg_epoch_time"] = run.training->average_epoch_seconds;
  metrics["max_memory_gb"] = run.training->peak_tensor_bytes / 1e9;
  metrics["device"] = run.training->device;
  return metrics;
}

// Adds the blocks that NEO's article shows but its code never wrote.
void AddArticleBlocks(const core::RunRecord& run, const Summary& summary, Json& json) {
  const core::LedgerTotals& totals = summary.totals;
  const double hours = Hours(summary.running_time);
  json["carbon_metrics"] = {
      {"emissions_kg_co2", Maybe(KnownEmissions(totals), kKilograms)},
      {"energy_consumed_kwh", totals.facility_energy.kwh()},
      {"average_power_w", hours > 0 ? Json(totals.energy.kwh() * 1000 / hours) : Json(nullptr)},
      {"carbon_intensity_g_per_kwh", Maybe(totals.MeanIntensity())},
      {"emissions_at_submission_kg_co2",
       summary.at_submission
           ? Maybe(KnownEmissions(summary.at_submission->run, totals.energy), kKilograms)
           : Json(nullptr)}};
  json["scheduler_metrics"] = NeoScheduleDecision(run, summary);
  json["scheduler_metrics"]["policy"] = run.spec.policy;
  json["scheduler_metrics"]["carbon_threshold"] = Maybe(run.spec.threshold);
  json["scheduler_metrics"]["initial_intensity"] = Maybe(summary.intensity_at_submission);
  double utilisation = 0;
  for (const core::Attempt& attempt : run.attempts)
    utilisation += attempt.gpu_utilisation_percent * Seconds(attempt.wall.length());
  json["gpu_metrics"] = {
      {"max_memory_gb",
       Maybe(run.training, [](const auto& t) { return t.peak_tensor_bytes / 1e9; })},
      {"gpu_energy_kwh", totals.gpu.kwh()},
      {"gpu_count", run.spec.machine.gpu_models.size()},
      {"average_utilization_percent",
       hours > 0 ? Json(utilisation / (hours * 3600)) : Json(nullptr)}};
}

// A file name without parts that lead out of its directory.
std::string FileNamePart(std::string name) {
  for (char& c : name)
    if (c == '/' || c == '\\' || c == '\0' || static_cast<unsigned char>(c) < 0x20) c = '_';
  return name.substr(0, 200);
}

}  // namespace

std::string SummaryJson(const core::RunRecord& run, const Summary& summary) {
  Json json{{"schema", "ebb.summary/1"},
            {"run_id", run.spec.run_id},
            {"name", run.spec.name},
            {"group", run.spec.group},
            {"outcome", core::Name(summary.outcome)},
            {"attempts", summary.attempts},
            {"running_time_s", Seconds(summary.running_time)}};
  json["grid_clock"] = ClockJson(run);
  json["schedule"] = ScheduleJson(run, summary);
  json["signal"] = SignalJson(run.spec.signal);
  if (!run.signal_versions.empty()) json["signal"]["version"] = VersionJson(run.signal_versions);
  json["energy"] = EnergyJson(summary.totals);
  json["pue"] = run.spec.pue.ratio;
  json["meters"] = run.spec.meters;
  json["emissions_g"] = Maybe(KnownEmissions(summary.totals));
  json["mean_intensity_g_per_kwh"] = Maybe(summary.totals.MeanIntensity());
  json["intensity_at_submission_g_per_kwh"] = Maybe(summary.intensity_at_submission);
  json["intensity_at_submission_status"] = core::Name(summary.intensity_at_submission_status);
  json["same_energy_at_submission"] = AlternativeJson(summary.at_submission, summary.totals.energy);
  json["best_start_in_hindsight"] =
      AlternativeJson(summary.best_in_hindsight, summary.totals.energy);
  json["share_of_possible_saving"] = Maybe(summary.share_of_possible_saving);
  if (summary.had_it_waited) json["had_it_waited"] = HadItWaitedJson(*summary.had_it_waited);
  json["other_signal"] = OtherSignalJson(run, summary);
  json["water_l"] = Maybe(summary.water_l);
  json["embodied"] = EmbodiedJson(run, summary);
  json["how_sure"] = FiguresJson(run, summary);
  json["budget"] = BudgetJson(run);
  if (!run.power_choices.empty()) json["power_cap"] = PowerCapJson(run);
  if (summary.cost) json["cost"] = CostJson(run, *summary.cost);
  json["work"] = WorkJson(run, summary);
  if (Json widths = WidthsJson(run); !widths.empty()) json["widths"] = std::move(widths);
  json["epochs"] = EpochsJson(summary);
  json["training"] = TrainingJson(run);
  return Document(json);
}

std::string NeoSummaryJson(const core::RunRecord& run, const Summary& summary,
                           const std::string& output_dir) {
  const core::LedgerTotals& totals = summary.totals;
  const Json kilograms = Maybe(KnownEmissions(totals), kKilograms);
  Json json{{"emissions_kg_co2", kilograms},
            {"project_name", run.spec.name},
            {"output_dir", output_dir},
            {"config", NeoConfig(run)},
            {"schedule_decision", NeoScheduleDecision(run, summary)}};
  json["emissions"] = {
      {"emissions_kg_co2", kilograms}, {"project_name", run.spec.name}, {"output_dir", output_dir}};
  json["training_metrics"] = NeoTrainingMetrics(run);
  AddArticleBlocks(run, summary, json);
  json["grid_clock"] = ClockJson(run);
  return Document(json);
}

Status WriteSummaries(const std::filesystem::path& run_directory, const core::RunRecord& run,
                      const Summary& summary) {
  EBB_RETURN_IF_ERROR(
      platform::WriteFileAtomically(run_directory / kSummaryFile, SummaryJson(run, summary)));
  return platform::WriteFileAtomically(
      run_directory / ("summary_" + FileNamePart(run.spec.name) + ".json"),
      NeoSummaryJson(run, summary, run_directory.string()));
}

}  // namespace ebb::report
