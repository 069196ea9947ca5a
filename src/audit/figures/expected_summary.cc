#include "audit/figures/expected_summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "audit/figures/had_it_waited.h"
#include "base/csv.h"
#include "base/text.h"
#include "base/time.h"

namespace ebb::audit {
namespace {

using Json = nlohmann::json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// True for the changes that ranks made to their parts of an update.
bool HasRankShares(const Json& changes) {
  const auto is_change = [](const Json& change) {
    return change.is_object() && change.value("step", Json()).is_number_integer() &&
           change.value("samples", Json()).is_array();
  };
  return changes.is_array() && std::all_of(changes.begin(), changes.end(), is_change);
}

// The result of the training; null if the training wrote none that Ebb accepts.
Json TrainResult(const RunFiles& files) {
  const std::string_view text = files.Text("train_result.json");
  Json train = Json::parse(text, nullptr, false);
  if (train.is_discarded()) train = Json::parse(WithoutNonFinite(text), nullptr, false);
  if (!train.is_object() || train.value("schema", "") != "ebb.train-result/1") return nullptr;
  for (const char* field :
       {"model", "dataset", "batch_size", "accumulation_steps", "epochs", "learning_rate",
        "precision", "seed", "model_path", "final_loss", "test_loss", "test_accuracy_percent",
        "peak_tensor_bytes", "avg_epoch_seconds", "samples_per_second", "device",
        "parameters_sha256"})
    if (!train.contains(field)) return nullptr;
  return HasRankShares(train.value("rank_shares", Json::array())) ? train : nullptr;
}

double Joules(std::int64_t microjoules) { return static_cast<double>(microjoules) / 1e6; }
double Kwh(std::int64_t microjoules) { return static_cast<double>(microjoules) / 3.6e12; }
double Seconds(Ms length) { return static_cast<double>(length) / 1e3; }
std::string Iso(Ms time) { return FormatTime(Time{Duration{time}}); }

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json OrNull(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? Json(nullptr) : *found;
}

double ShareOf(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json Energy(const Sums& sums) {
  Json by_component, by_source, shares;
  for (std::size_t i = 0; i < 3; ++i) {
    by_component[kComponents[i]] = Joules(sums.by_component[i]);
    by_source[kSources[i]] = Joules(sums.by_source[i]);
  }
  for (std::size_t i = 0; i < 4; ++i)
    shares[kStatuses[i]] = ShareOf(sums.by_status[i], sums.microjoules);
  shares["unknown"] = ShareOf(sums.without, sums.microjoules);
  return {{"it_j", Joules(sums.microjoules)},
          {"facility_j", Joules(sums.facility)},
          {"it_kwh", Kwh(sums.microjoules)},
          {"by_component_j", by_component},
          {"by_source_j", by_source},
          {"share_by_intensity_status", shares},
          {"without_intensity_j", Joules(sums.without)}};
}

// Null if none of the energy has an intensity, because unknown is not 0.
Json GramsOrNull(double grams, std::int64_t microjoules, std::int64_t without) {
  return without > 0 && without >= microjoules ? Json(nullptr) : Json(grams);
}
Json GramsOrNull(const Sums& sums) {
  return GramsOrNull(sums.grams, sums.microjoules, sums.without);
}

Json AlternativeJson(const std::optional<Saving>& saving, std::int64_t microjoules) {
  if (!saving) return nullptr;
  Json json{{"start", Iso(saving->run.start)},
            {"emissions_g", GramsOrNull(saving->run.grams, microjoules, saving->run.without)},
            {"energy_without_intensity_j", Joules(saving->run.without)},
            {"saving_g", OrNull(saving->saving_g)},
            {"saving_percent", OrNull(saving->saving_percent)}};
  if (saving->half_width_g) {
    json["saving_half_width_g"] = *saving->half_width_g;
    json["clear"] = *saving->saving_g == 0 || std::abs(*saving->saving_g) > *saving->half_width_g;
  }
  return json;
}

Json WaitingJson(const Waiting& waiting) {
  const double once = waiting.grams_at_once;
  return {{"up_to_s", Seconds(waiting.up_to)},
          {"start", Iso(waiting.start)},
          {"expected_g", waiting.grams},
          {"expected_g_at_once", once},
          {"saving_percent", once > 0 ? Json(100 * (once - waiting.grams) / once) : Json()},
          {"forecast_method", waiting.method},
          {"forecast_issued", Iso(waiting.issued)},
          {"estimated", true}};
}

Json Clock(const Json& run, const RunFacts& facts) {
  const Json& clock = run.at("grid_clock");
  Json waits = Json::array();
  for (const Span& wait : facts.skipped_waits)
    waits.push_back(
        {{"begin", Iso(wait.begin)}, {"end", Iso(wait.end)}, {"seconds", Seconds(wait.length())}});
  const bool replayed = clock.at("replayed").get<bool>();
  return {{"replayed", replayed},
          {"begin", replayed ? Json(Iso(clock.at("begin_ms").get<Ms>())) : Json()},
          {"speed", clock.at("speed")},
          {"skipped_waits", waits}};
}

Json Schedule(const Json& run, const RunFacts& facts, const RunFigures& figures) {
  Json last = nullptr;
  if (!facts.decisions.empty()) {
    const Decision& decision = facts.decisions.back();
    last = {{"action", decision.action}, {"rule", decision.rule}, {"reason", decision.reason}};
  }
  const Json& start_by = run.at("start_by_ms");
  return {{"policy", run.at("policy")},
          {"threshold_g_per_kwh", run.at("threshold_g_per_kwh")},
          {"submitted", Iso(run.at("submitted_ms").get<Ms>())},
          {"start_by", start_by.is_null() ? start_by : Json(Iso(start_by.get<Ms>()))},
          {"started", figures.started ? Json(Iso(*figures.started)) : Json()},
          {"ended", Iso(figures.ended)},
          {"waited_s", Seconds(figures.waited)},
          {"decisions", facts.decisions.size()},
          {"last_decision", last}};
}

Json Signal(const Json& run, const RunFacts& facts) {
  Json signal = run.at("signal");
  if (facts.versions > 0)
    signal["version"] = {{"number", facts.versions},
                         {"asked_at", Iso(facts.asked_at)},
                         {"final", facts.version_is_final}};
  return signal;
}

Json OtherSignal(const Json& run, const RunFigures& figures) {
  if (!figures.other) return nullptr;
  Json json = run.value("other_signal", Json::object());
  json["emissions_g"] = GramsOrNull(*figures.other);
  json["mean_intensity_g_per_kwh"] = OrNull(figures.other->MeanIntensity());
  json["without_intensity_j"] = Joules(figures.other->without);
  return json;
}

// The embodied emissions and the SCI (ISO/IEC 21031:2024).
Json Embodied(const Json& run, const RunFigures& figures) {
  const auto embodied = run.find("embodied");
  if (embodied == run.end() || embodied->is_null()) return nullptr;
  const double total = embodied->at("total_g").get<double>();
  const auto lifetime = embodied->at("lifetime_ms").get<double>();
  const double share = embodied->at("share").get<double>();
  return {{"emissions_g", total * (static_cast<double>(figures.running) / lifetime) * share},
          {"hardware_total_g", total},
          {"lifetime_h", lifetime / 3.6e6},
          {"share", share},
          {"in_totals", false}};
}

struct Named {
  std::string name;
  double value = 0, half_width = 0;
  std::string basis;
  std::vector<std::string> sources;
};

Json FigureJson(const Named& figure) {
  const bool may_be_negative = figure.name == "saving_g";
  const double low = figure.value - figure.half_width;
  return {{"figure", figure.name},
          {"value", figure.value},
          {"low", may_be_negative ? low : std::max(0.0, low)},
          {"high", figure.value + figure.half_width},
          {"basis", figure.basis},
          {"sources", figure.sources}};
}

Named EnergyFigure(const std::string& name, const Rows& rows, double joules, bool whole_machine) {
  const Uncertainty sure = UncertaintyOf(rows, whole_machine);
  return {name, joules, sure.energy_share * joules, Basis(sure.measured, SumsOf(rows).microjoules),
          SourceTexts(rows, whole_machine)};
}

void AddEmissions(const RunFigures& figures, bool whole_machine, Json& all) {
  const auto sources = SourceTextsWithIntensity(figures.rows, whole_machine);
  const double share = figures.sure.emissions_share;
  const auto add = [&](const char* name, double grams, double half_width) {
    all.push_back(FigureJson({name, grams, half_width, "estimated", sources}));
  };
  add("emissions_g", figures.sums.grams, share * std::abs(figures.sums.grams));
  if (const auto& at = figures.at_submission; at && at->saving_g) {
    add("emissions_at_submission_g", at->run.grams, share * std::abs(at->run.grams));
    add("saving_g", *at->saving_g, at->half_width_g.value_or(0));
  }
  if (figures.best)
    add("best_emissions_in_hindsight_g", figures.best->run.grams,
        share * std::abs(figures.best->run.grams));
  if (!figures.other || figures.other->grams <= 0) return;
  int kind = 1;
  for (const Row& row : figures.rows)
    if (row.has_other) kind = row.other_kind;
  all.push_back(
      FigureJson({std::string(kKinds[static_cast<std::size_t>(kind)]) + "_emissions_g",
                  figures.other->grams, figures.other_sure.emissions_share * figures.other->grams,
                  "estimated", SourceTextsWithIntensity(figures.other_rows, whole_machine)}));
}

// The use of one unit of the reported work. Grams are known if all of the energy has an intensity.
struct PerUnit {
  std::string unit;
  std::int64_t count = 0;
  double joules = 0;
  std::optional<double> grams;
};
std::vector<PerUnit> PerUnitOf(const RunFacts& facts, const Sums& sums) {
  std::vector<PerUnit> all;
  for (std::size_t i = 0; i < kUnits.size() && sums.microjoules > 0; ++i) {
    if (!facts.work[i]) continue;
    const auto units = static_cast<double>(*facts.work[i]);
    PerUnit one{kUnits[i], *facts.work[i], Joules(sums.microjoules) / units, {}};
    if (sums.without == 0) one.grams = sums.grams / units;
    all.push_back(one);
  }
  return all;
}

Json Work(const RunFacts& facts, const Sums& sums) {
  if (std::ranges::none_of(facts.work, [](const auto& count) { return count.has_value(); }))
    return nullptr;
  Json json;
  for (std::size_t i = 0; i < kUnits.size(); ++i)
    json[std::string(kUnits[i]) + "s"] = OrNull(facts.work[i]);
  for (const PerUnit& one : PerUnitOf(facts, sums)) {
    json["energy_per_" + one.unit + "_j"] = one.joules;
    json["emissions_per_" + one.unit + "_g"] = OrNull(one.grams);
  }
  return json;
}

void AddPerUnit(const RunFacts& facts, const RunFigures& figures, bool whole_machine, Json& all) {
  const Uncertainty& sure = figures.sure;
  const std::string basis = Basis(sure.measured, figures.sums.microjoules);
  for (const PerUnit& one : PerUnitOf(facts, figures.sums)) {
    all.push_back(
        FigureJson({"energy_per_" + one.unit + "_j", one.joules, sure.energy_share * one.joules,
                    basis, SourceTexts(figures.rows, whole_machine)}));
    if (one.grams)
      all.push_back(FigureJson({"emissions_per_" + one.unit + "_g", *one.grams,
                                sure.emissions_share * *one.grams, "estimated",
                                SourceTextsWithIntensity(figures.rows, whole_machine)}));
  }
}

Json HowSure(const Json& run, const RunFacts& facts, const RunFigures& figures) {
  Json all = Json::array();
  if (figures.rows.empty()) return all;
  const bool whole_machine = run.at("scope") == "machine";
  const Sums& sums = figures.sums;
  all.push_back(
      FigureJson(EnergyFigure("energy_j", figures.rows, Joules(sums.microjoules), whole_machine)));
  all.push_back(FigureJson(
      EnergyFigure("facility_energy_j", figures.rows, Joules(sums.facility), whole_machine)));
  for (std::size_t i = 0; i < kComponents.size(); ++i) {
    Rows rows;
    for (const Row& row : figures.rows)
      if (row.component == static_cast<int>(i)) rows.push_back(row);
    if (!rows.empty())
      all.push_back(FigureJson(EnergyFigure(std::string(kComponents[i]) + "_energy_j", rows,
                                            Joules(SumsOf(rows).microjoules), whole_machine)));
  }
  if (sums.without != sums.microjoules) AddEmissions(figures, whole_machine, all);
  AddPerUnit(facts, figures, whole_machine, all);
  return all;
}

Json Budget(const RunFacts& facts) {
  if (!facts.has_budget) return nullptr;
  const BudgetUse use = BudgetUseOf(facts.rows);
  Json limits = Json::array(), events = Json::array();
  if (facts.energy_limit_kwh)
    limits.push_back({{"measure", "energy"},
                      {"unit", "kWh"},
                      {"limit", *facts.energy_limit_kwh},
                      {"used", use.kwh}});
  if (facts.emissions_limit_g)
    limits.push_back({{"measure", "emissions"},
                      {"unit", "g"},
                      {"limit", *facts.emissions_limit_g},
                      {"used", OrNull(use.grams)}});
  for (const BudgetEvent& event : facts.budget_events)
    events.push_back({{"event", event.event},
                      {"measure", event.measure},
                      {"attempt", event.attempt},
                      {"time", Iso(event.wall)},
                      {"limit", event.limit},
                      {"used", event.used}});
  return {{"action", facts.budget_action},
          {"grace_s", Seconds(facts.budget_grace)},
          {"limits", limits},
          {"events", events}};
}

Json CostJson(const Json& run, const RunFigures& figures) {
  const Json& prices = run.at("prices");
  const Cost &cost = *figures.cost, &other = *figures.cost_at_submission;
  const double all = cost.priced_kwh + cost.unpriced_kwh;
  const bool known = cost.unpriced_kwh <= 0 && other.unpriced_kwh <= 0;
  return {
      {"currency", prices.at("currency")},
      {"amount", cost.amount},
      {"mean_price_per_kwh", cost.priced_kwh > 0 ? Json(cost.amount / cost.priced_kwh) : Json()},
      {"share_of_energy_without_price", all > 0 ? cost.unpriced_kwh / all : 0},
      {"same_energy_at_submission", other.amount},
      {"saving", known ? Json(other.amount - cost.amount) : Json()},
      {"source", prices.at("source")},
      {"price_weight", prices.at("weight")},
      {"price_threshold_per_kwh", OrNull(prices, "threshold_per_kwh")}};
}

Json Epochs(const RunFacts& facts, const RunFigures& figures) {
  Json epochs = Json::array();
  for (std::size_t i = 0; i < facts.epochs.size(); ++i) {
    const Epoch& epoch = facts.epochs[i];
    const Sums& sums = figures.epochs[i];
    epochs.push_back({{"epoch", epoch.number},
                      {"begin", Iso(epoch.wall.begin)},
                      {"seconds", Seconds(epoch.wall.length())},
                      {"energy_j", Joules(sums.microjoules)},
                      {"emissions_g", GramsOrNull(sums)},
                      {"without_intensity_j", Joules(sums.without)},
                      {"train_loss", OrNull(epoch.train_loss)},
                      {"test_loss", OrNull(epoch.test_loss)},
                      {"test_accuracy_percent", OrNull(epoch.test_accuracy_percent)}});
  }
  return epochs;
}

Json Training(const Json& train) {
  if (train.is_null()) return nullptr;
  Json json{{"final_loss", OrNull(train, "final_loss")},
            {"test_loss", OrNull(train, "test_loss")},
            {"test_accuracy_percent", OrNull(train, "test_accuracy_percent")},
            {"peak_tensor_bytes", OrNull(train, "peak_tensor_bytes")},
            {"average_epoch_seconds", OrNull(train, "avg_epoch_seconds")},
            {"samples_per_second", OrNull(train, "samples_per_second")},
            {"device", OrNull(train, "device")},
            {"parameters_sha256", OrNull(train, "parameters_sha256")}};
  for (const Json& change : train.value("rank_shares", Json::array()))
    json["rank_shares"].push_back(
        {{"step", OrNull(change, "step")}, {"samples", change.value("samples", Json::array())}});
  return json;
}

}  // namespace

std::string ExpectedSummary(const RunFiles& files, const RunFacts& facts,
                            const RunFigures& figures) {
  const Json run = Json::parse(files.Text("run.json")), train = TrainResult(files);
  Json json{{"schema", "ebb.summary/1"},
            {"run_id", run.at("run_id")},
            {"name", run.at("name")},
            {"group", run.at("group")},
            {"outcome", figures.outcome},
            {"attempts", facts.attempts.size()},
            {"running_time_s", Seconds(figures.running)},
            {"grid_clock", Clock(run, facts)},
            {"schedule", Schedule(run, facts, figures)},
            {"signal", Signal(run, facts)},
            {"energy", Energy(figures.sums)},
            {"pue", run.at("pue")},
            {"meters", run.at("meters")},
            {"emissions_g", GramsOrNull(figures.sums)},
            {"mean_intensity_g_per_kwh", OrNull(figures.sums.MeanIntensity())},
            {"intensity_at_submission_g_per_kwh", OrNull(figures.g_at_submission)},
            {"intensity_at_submission_status", figures.status_at_submission},
            {"same_energy_at_submission",
             AlternativeJson(figures.at_submission, figures.sums.microjoules)},
            {"best_start_in_hindsight", AlternativeJson(figures.best, figures.sums.microjoules)},
            {"other_signal", OtherSignal(run, figures)},
            {"water_l", nullptr},
            {"embodied", Embodied(run, figures)},
            {"how_sure", HowSure(run, facts, figures)},
            {"budget", Budget(facts)},
            {"epochs", Epochs(facts, figures)},
            {"training", Training(train)}};
  if (facts.summary_has_work) json["work"] = Work(facts, figures.sums);
  if (run.contains("wue_l_per_kwh"))
    json["water_l"] = Kwh(figures.sums.microjoules) * run.at("wue_l_per_kwh").get<double>();
  if (!figures.share_is_rounding)
    json["share_of_possible_saving"] = OrNull(figures.share_of_possible);
  if (figures.cost) json["cost"] = CostJson(run, figures);
  if (const auto waiting = HadItWaited(files, figures.rows); waiting && !facts.several_zones)
    json["had_it_waited"] = WaitingJson(*waiting);
  return Dump(json);
}

namespace {

// The mean PUE, weighted by energy; the run's own PUE if there is no energy.
double MeanPue(const Json& run, const Sums& sums) {
  return sums.microjoules == 0
             ? run.at("pue").get<double>()
             : static_cast<double>(sums.facility) / static_cast<double>(sums.microjoules);
}

// The mean of a figure of the attempts, weighted by their duration.
double MeanOver(const std::vector<Attempt>& attempts, double Attempt::*member) {
  double sum = 0, seconds = 0;
  for (const Attempt& attempt : attempts) {
    sum += attempt.*member * Seconds(attempt.wall.length());
    seconds += Seconds(attempt.wall.length());
  }
  return seconds > 0 ? sum / seconds : 0;
}

Json NeoTraining(const Json& run, const RunFacts& facts, const Json& train) {
  Json metrics{{"final_loss", OrNull(train, "final_loss")},
               {"test_loss", OrNull(train, "test_loss")},
               {"test_accuracy", OrNull(train, "test_accuracy_percent")},
               {"avg_epoch_time", OrNull(train, "avg_epoch_seconds")},
               {"device", OrNull(train, "device")},
               {"start_time", nullptr},
               {"end_time", nullptr},
               {"max_memory_gb", nullptr}};
  const Json settings = OrNull(run, "training");
  const Json& epochs = settings.is_null() ? train : settings;
  metrics["total_epochs"] = OrNull(epochs, "epochs");
  if (const Json peak = OrNull(train, "peak_tensor_bytes"); peak.is_number())
    metrics["max_memory_gb"] = peak.get<double>() / 1e9;
  if (facts.attempts.empty()) return metrics;
  metrics["start_time"] = Seconds(facts.attempts.front().wall.begin);
  metrics["end_time"] = Seconds(facts.attempts.back().wall.end);
  return metrics;
}

// The settings that the run was asked for, or else those that the training reports.
Json NeoConfig(const Json& run, const Json& train) {
  Json training{{"run_name", run.at("name")}};
  const Json asked = OrNull(run, "training");
  const Json& settings = asked.is_null() ? train : asked;
  if (settings.is_null()) return {{"training", training}};
  for (const char* same : {"batch_size", "epochs", "learning_rate", "precision", "seed"})
    training[same] = OrNull(settings, same);
  training["gradient_accumulation_steps"] = OrNull(settings, "accumulation_steps");
  training["model_save_path"] = OrNull(settings, "model_path");
  return {{"training", training}};
}

Json NeoSchedule(const RunFacts& facts, const RunFigures& figures) {
  const bool any = !facts.decisions.empty();
  return {{"started", figures.started.has_value()},
          {"wait_time_seconds", Seconds(figures.waited)},
          {"checks_performed", facts.decisions.size()},
          {"final_intensity", any ? OrNull(facts.decisions.back().g_per_kwh) : Json()},
          {"reason", any ? Json(facts.decisions.back().reason) : Json()}};
}

}  // namespace

std::string ExpectedNeo(const RunFiles& files, const RunFacts& facts, const RunFigures& figures) {
  const Json run = Json::parse(files.Text("run.json")), train = TrainResult(files);
  const double hours = Seconds(figures.running) / 3600;
  const auto kilograms = [](const Json& grams) {
    return grams.is_null() ? Json(nullptr) : Json(grams.get<double>() / 1000);
  };
  const Json kg = kilograms(GramsOrNull(figures.sums));
  Json json{{"emissions_kg_co2", kg},
            {"project_name", run.at("name")},
            {"config", NeoConfig(run, train)},
            {"schedule_decision", NeoSchedule(facts, figures)},
            {"emissions", {{"emissions_kg_co2", kg}, {"project_name", run.at("name")}}},
            {"training_metrics", NeoTraining(run, facts, train)},
            {"grid_clock", Clock(run, facts)}};
  json["carbon_metrics"] = {
      {"emissions_kg_co2", kg},
      {"energy_consumed_kwh", Kwh(figures.sums.facility)},
      {"average_power_w",
       hours > 0 ? Json(Kwh(figures.sums.microjoules) * 1000 / hours) : Json(nullptr)},
      {"carbon_intensity_g_per_kwh", OrNull(figures.sums.MeanIntensity())},
      {"emissions_at_submission_kg_co2",
       figures.at_submission
           ? kilograms(GramsOrNull(figures.at_submission->run.grams, figures.sums.microjoules,
                                   figures.at_submission->run.without))
           : Json(nullptr)}};
  json["scheduler_metrics"] = NeoSchedule(facts, figures);
  json["scheduler_metrics"]["policy"] = run.at("policy");
  json["scheduler_metrics"]["carbon_threshold"] = run.at("threshold_g_per_kwh");
  json["scheduler_metrics"]["initial_intensity"] = OrNull(figures.g_at_submission);
  double utilisation = 0;
  for (const Attempt& attempt : facts.attempts)
    utilisation += attempt.gpu_percent * Seconds(attempt.wall.length());
  json["gpu_metrics"] = {
      {"max_memory_gb", json["training_metrics"]["max_memory_gb"]},
      {"gpu_energy_kwh", Kwh(figures.sums.by_component[1])},
      {"gpu_count", run.at("machine").at("gpu_models").size()},
      {"average_utilization_percent", hours > 0 ? Json(utilisation / (hours * 3600)) : Json()}};
  return Dump(json);
}

std::string ExpectedEmissionsRow(const RunFiles& files, const RunFacts& facts,
                                 const RunFigures& figures) {
  const Json run = Json::parse(files.Text("run.json"));
  const Sums& sums = figures.sums;
  const double seconds = Seconds(figures.running), pue = MeanPue(run, sums);
  const auto per_second = [&](double value) { return seconds > 0 ? value / seconds : 0; };
  const bool unknown = GramsOrNull(sums).is_null();
  const auto in_csv = [&](double value) { return unknown ? Json("") : Json(value); };
  const double wue = run.value("wue_l_per_kwh", 0.0);
  const double ram_gb = MeanOver(facts.attempts, &Attempt::ram_gb);
  const double ram_total = run.at("machine").at("ram_total_gb").get<double>();
  return Dump({{"project_name", run.at("name")},
               {"run_id", run.at("run_id")},
               {"experiment_id", run.at("group")},
               {"duration", seconds},
               {"emissions", in_csv(sums.grams / 1000)},
               {"emissions_rate", in_csv(per_second(sums.grams / 1000))},
               {"cpu_power", per_second(Joules(sums.by_component[0]))},
               {"gpu_power", per_second(Joules(sums.by_component[1]))},
               {"ram_power", per_second(Joules(sums.by_component[2]))},
               {"cpu_energy", Kwh(sums.by_component[0]) * pue},
               {"gpu_energy", Kwh(sums.by_component[1]) * pue},
               {"ram_energy", Kwh(sums.by_component[2]) * pue},
               {"energy_consumed", Kwh(sums.facility)},
               {"water_consumed", wue > 0 ? Kwh(sums.facility) * wue : 0.0},
               {"pue", run.at("pue")},
               {"wue", wue},
               {"cpu_count", run.at("machine").at("cpu_count")},
               {"gpu_count", run.at("machine").at("gpu_models").size()},
               {"ram_total_size", ram_total},
               {"ram_used_gb", ram_gb},
               {"cpu_utilization_percent", MeanOver(facts.attempts, &Attempt::cpu_percent)},
               {"gpu_utilization_percent", MeanOver(facts.attempts, &Attempt::gpu_percent)},
               {"ram_utilization_percent", ram_total > 0 ? 100 * ram_gb / ram_total : 0}});
}

std::string EmissionsRow(std::string_view csv, const std::string& like) {
  const Json computed = Json::parse(like);
  const auto records = ParseCsv(csv, "");
  Json row = Json::object();
  if (!records || records->size() < 2) return Dump(row);
  const auto &columns = records->at(0).fields, &fields = records->at(1).fields;
  for (std::size_t i = 0; i < std::min(columns.size(), fields.size()); ++i) {
    const auto found = computed.find(columns[i]);
    const bool is_number = found != computed.end() && found->is_number();
    const auto number = is_number ? ParseNumber(fields[i]) : std::nullopt;
    row[columns[i]] = number ? Json(*number) : Json(fields[i]);
  }
  return Dump(row);
}

}  // namespace ebb::audit
