#include "report/run/run_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/json_fields.h"

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "ebb.run/1";

Json Span(Interval interval) {
  return Json::array({Milliseconds(interval.begin), Milliseconds(interval.end)});
}
Json Maybe(const std::optional<Intensity>& intensity) {
  return intensity ? Json(intensity->g_per_kwh) : Json(nullptr);
}
std::optional<Intensity> MaybeIntensity(JsonFields& fields, std::string_view key) {
  const auto value = fields.MaybeNumber(key);
  if (!value) return std::nullopt;
  return Intensity{*value};
}
// Bytes that are not UTF-8 (a file name, say) are replaced rather than thrown about.
std::string Dump(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

std::string_view ScopeName(core::MeterScope scope) {
  return scope == core::MeterScope::kMachine ? "machine" : "process_tree";
}
std::optional<core::MeterScope> ScopeFromName(std::string_view name) {
  if (name == "machine") return core::MeterScope::kMachine;
  if (name == "process_tree") return core::MeterScope::kProcessTree;
  return std::nullopt;
}

Json ToJson(const core::TrainingSettings& training) {
  return {{"model", training.model},           {"dataset", training.dataset},
          {"batch_size", training.batch_size}, {"accumulation_steps", training.accumulation_steps},
          {"epochs", training.epochs},         {"learning_rate", training.learning_rate},
          {"precision", training.precision},   {"seed", training.seed},
          {"model_path", training.model_path}};
}

core::TrainingSettings TrainingFrom(JsonFields fields) {
  core::TrainingSettings training;
  training.model = fields.Text("model");
  training.dataset = fields.Text("dataset");
  training.batch_size = fields.Count("batch_size");
  training.accumulation_steps = fields.Count("accumulation_steps");
  training.epochs = fields.Count("epochs");
  training.learning_rate = fields.Number("learning_rate");
  training.precision = fields.Text("precision");
  training.seed = fields.Integer("seed");
  training.model_path = fields.Text("model_path");
  return training;
}

Json ToJson(const core::Machine& machine) {
  Json json{{"host", machine.host},
            {"operating_system", machine.operating_system},
            {"cpu_model", machine.cpu_model},
            {"cpu_count", machine.cpu_count},
            {"ram_total_gb", machine.ram_total_gb},
            {"gpu_models", machine.gpu_models}};
  if (!machine.boot_id.empty()) json["boot_id"] = machine.boot_id;
  return json;
}

core::Machine MachineFrom(JsonFields fields) {
  core::Machine machine;
  machine.host = fields.Text("host");
  machine.operating_system = fields.Text("operating_system");
  machine.cpu_model = fields.Text("cpu_model");
  machine.cpu_count = fields.Count("cpu_count");
  machine.ram_total_gb = fields.Number("ram_total_gb");
  machine.gpu_models = fields.Texts("gpu_models");
  if (fields.Has("boot_id")) machine.boot_id = fields.Text("boot_id");
  return machine;
}

core::Location LocationFrom(JsonFields fields) {
  core::Location location;
  location.region = fields.Text("region");
  location.cloud_provider = fields.Text("cloud_provider");
  location.cloud_region = fields.Text("cloud_region");
  return location;
}

Json ToJson(const core::SignalIdentity& signal) {
  return {{"zone", signal.zone},
          {"kind", core::Name(signal.kind)},
          {"boundary", core::Name(signal.boundary)},
          {"source", signal.source}};
}

Json ToJson(const core::Embodied& embodied) {
  return {{"total_g", embodied.total.grams},
          {"lifetime_ms", embodied.lifetime.count()},
          {"share", embodied.share}};
}

core::Embodied EmbodiedFrom(JsonFields fields) {
  core::Embodied embodied;
  embodied.total.grams = fields.Number("total_g");
  embodied.lifetime = Duration{fields.Integer("lifetime_ms")};
  embodied.share = fields.Number("share");
  if (embodied.lifetime <= Duration::zero()) fields.Reject("lifetime_ms", "is not positive");
  return embodied;
}

core::SignalIdentity SignalFrom(JsonFields fields) {
  core::SignalIdentity signal;
  signal.zone = fields.Text("zone");
  signal.kind = fields.Named("kind", core::SignalKindFromName);
  signal.boundary = fields.Named("boundary", core::BoundaryFromName);
  signal.source = fields.Text("source");
  return signal;
}

Json ToJson(const core::GridClockSettings& clock) {
  return {{"replayed", clock.replayed},
          {"begin_ms", Milliseconds(clock.begin)},
          {"speed", clock.speed},
          {"skip_waits", clock.skip_waits}};
}

core::GridClockSettings ClockFrom(JsonFields fields) {
  core::GridClockSettings clock;
  clock.replayed = fields.Flag("replayed");
  clock.begin = fields.Instant("begin_ms");
  clock.speed = fields.Number("speed");
  clock.skip_waits = fields.Flag("skip_waits");
  return clock;
}

Json ToJson(const core::RunPrices& prices) {
  return {{"currency", prices.identity.currency},
          {"source", prices.identity.source},
          {"weight", prices.weight},
          {"threshold_per_kwh", prices.threshold ? Json(*prices.threshold) : Json(nullptr)}};
}

core::RunPrices PricesFrom(JsonFields fields) {
  core::RunPrices prices;
  prices.identity = {fields.Text("currency"), fields.Text("source")};
  prices.weight = fields.Number("weight");
  if (fields.Has("threshold_per_kwh")) prices.threshold = fields.Number("threshold_per_kwh");
  return prices;
}

}  // namespace

std::string RunSpecToJson(const core::RunSpec& spec) {
  Json json{{"schema", kSchema},
            {"run_id", spec.run_id},
            {"name", spec.name},
            {"group", spec.group},
            {"command", spec.command},
            {"created_wall_ms", Milliseconds(spec.created_wall)},
            {"policy", spec.policy},
            {"threshold_g_per_kwh", Maybe(spec.threshold)},
            {"submitted_ms", Milliseconds(spec.submitted)},
            {"start_by_ms", Milliseconds(spec.start_by)},
            {"estimated_run_time_ms", spec.estimated_run_time.count()},
            {"grid_clock", ToJson(spec.clock)},
            {"signal", ToJson(spec.signal)},
            {"pue", spec.pue.ratio},
            {"scope", ScopeName(spec.scope)},
            {"sample_interval_ms", spec.sample_interval.count()},
            {"meters", spec.meters},
            {"machine", ToJson(spec.machine)}};
  if (spec.zones > 1) json["zones"] = spec.zones;
  if (spec.other_signal) json["other_signal"] = ToJson(*spec.other_signal);
  if (spec.wue_l_per_kwh) json["wue_l_per_kwh"] = *spec.wue_l_per_kwh;
  if (spec.embodied) json["embodied"] = ToJson(*spec.embodied);
  const core::Location& location = spec.location;
  json["location"] = {{"region", location.region},
                      {"cloud_provider", location.cloud_provider},
                      {"cloud_region", location.cloud_region}};
  json["training"] = spec.training ? ToJson(*spec.training) : Json(nullptr);
  if (spec.prices) json["prices"] = ToJson(*spec.prices);
  return Dump(json, 2) + "\n";
}

Result<core::RunSpec> RunSpecFromJson(std::string_view text, std::string where) {
  EBB_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Parse(text, std::move(where)));
  core::RunSpec spec;
  if (const std::string schema = fields.Text("schema"); schema != kSchema)
    fields.Reject("schema",
                  "is \"" + schema + "\"; this Ebb reads \"" + std::string(kSchema) + "\"");
  spec.run_id = fields.Text("run_id");
  spec.name = fields.Text("name");
  spec.group = fields.Text("group");
  spec.command = fields.Texts("command");
  spec.created_wall = fields.Instant("created_wall_ms");
  spec.policy = fields.Text("policy");
  spec.threshold = MaybeIntensity(fields, "threshold_g_per_kwh");
  spec.submitted = fields.Instant("submitted_ms");
  spec.start_by = fields.Instant("start_by_ms");
  spec.estimated_run_time = Duration{fields.Integer("estimated_run_time_ms")};
  spec.clock = ClockFrom(fields.Object("grid_clock"));
  spec.signal = SignalFrom(fields.Object("signal"));
  if (fields.Has("zones")) spec.zones = fields.Count("zones");
  if (fields.Has("other_signal")) spec.other_signal = SignalFrom(fields.Object("other_signal"));
  spec.pue.ratio = fields.Number("pue");
  spec.wue_l_per_kwh = fields.MaybeNumber("wue_l_per_kwh");
  if (fields.Has("embodied")) spec.embodied = EmbodiedFrom(fields.Object("embodied"));
  spec.scope = fields.Named("scope", ScopeFromName);
  spec.sample_interval = Duration{fields.Integer("sample_interval_ms")};
  spec.meters = fields.Texts("meters");
  spec.machine = MachineFrom(fields.Object("machine"));
  if (fields.Has("location")) spec.location = LocationFrom(fields.Object("location"));
  if (fields.Has("training")) spec.training = TrainingFrom(fields.Object("training"));
  if (fields.Has("prices")) spec.prices = PricesFrom(fields.Object("prices"));
  EBB_RETURN_IF_ERROR(fields.status());
  return spec;
}

std::string DecisionToJson(const core::GateDecision& decision) {
  Json json{{"at_ms", Milliseconds(decision.at)},
            {"action", core::Name(decision.action)},
            {"rule", core::Name(decision.rule)},
            {"reason", Reason(decision)},
            {"current_g_per_kwh", Maybe(decision.current)},
            {"current_status", core::Name(decision.current_status)},
            {"threshold_g_per_kwh", Maybe(decision.threshold)},
            {"expected_start_ms", nullptr},
            {"expected_mean_g_per_kwh", Maybe(decision.expected_mean)},
            {"start_by_ms", Milliseconds(decision.start_by)},
            {"wake_at_ms", Milliseconds(decision.wake_at)}};
  if (decision.expected_start) json["expected_start_ms"] = Milliseconds(*decision.expected_start);
  if (!decision.current_source.empty()) json["current_source"] = decision.current_source;
  return Dump(json);
}

std::string SkippedWaitToJson(const core::SkippedWait& wait) {
  return Dump(Json{{"skipped_wait_ms", Span(wait.grid)}});
}

Status AddDecisionLine(std::string_view line, std::string where, core::RunRecord& run) {
  EBB_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Parse(line, std::move(where)));
  if (fields.Has("skipped_wait_ms")) {
    run.skipped_waits.push_back({fields.Span("skipped_wait_ms")});
    return fields.status();
  }
  core::GateDecision decision;
  decision.at = fields.Instant("at_ms");
  decision.action = fields.Named("action", core::GateActionFromName);
  decision.rule = fields.Named("rule", core::GateRuleFromName);
  decision.recorded_reason = fields.Text("reason");
  decision.current = MaybeIntensity(fields, "current_g_per_kwh");
  decision.current_status = fields.Named("current_status", core::SampleStatusFromName);
  if (fields.Has("current_source")) decision.current_source = fields.Text("current_source");
  decision.threshold = MaybeIntensity(fields, "threshold_g_per_kwh");
  decision.expected_start = fields.MaybeInstant("expected_start_ms");
  decision.expected_mean = MaybeIntensity(fields, "expected_mean_g_per_kwh");
  decision.start_by = fields.Instant("start_by_ms");
  decision.wake_at = fields.Instant("wake_at_ms");
  EBB_RETURN_IF_ERROR(fields.status());
  run.decisions.push_back(std::move(decision));
  return {};
}

std::string AttemptBeginToJson(const core::Attempt& attempt) {
  return Dump(Json{{"event", "begin"},
                   {"attempt", attempt.number},
                   {"wall_ms", Milliseconds(attempt.wall.begin)},
                   {"grid_ms", Milliseconds(attempt.grid.begin)}});
}

std::string AttemptEndToJson(const core::Attempt& attempt) {
  return Dump(Json{{"event", "end"},
                   {"attempt", attempt.number},
                   {"wall_ms", Span(attempt.wall)},
                   {"grid_ms", Span(attempt.grid)},
                   {"outcome", core::Name(attempt.outcome)},
                   {"exit_code", attempt.exit_code},
                   {"cpu_utilisation_percent", attempt.cpu_utilisation_percent},
                   {"ram_used_gb", attempt.ram_used_gb},
                   {"gpu_utilisation_percent", attempt.gpu_utilisation_percent}});
}

Status AddAttemptLine(std::string_view line, std::string where, core::RunRecord& run) {
  EBB_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Parse(line, std::move(where)));
  const std::string event = fields.Text("event");
  core::Attempt attempt;
  attempt.number = fields.Count("attempt");
  const auto begun = std::find_if(run.attempts.begin(), run.attempts.end(),
                                  [&](const auto& a) { return a.number == attempt.number; });
  if (event == "begin") {
    attempt.wall.begin = attempt.wall.end = fields.Instant("wall_ms");
    attempt.grid.begin = attempt.grid.end = fields.Instant("grid_ms");
    if (begun != run.attempts.end()) fields.Reject("attempt", "begins a second time");
    EBB_RETURN_IF_ERROR(fields.status());
    run.attempts.push_back(attempt);
    return {};
  }
  attempt.wall = fields.Span("wall_ms");
  attempt.grid = fields.Span("grid_ms");
  attempt.outcome = fields.Named("outcome", core::AttemptOutcomeFromName);
  attempt.exit_code = fields.Count("exit_code");
  attempt.cpu_utilisation_percent = fields.Number("cpu_utilisation_percent");
  attempt.ram_used_gb = fields.Number("ram_used_gb");
  attempt.gpu_utilisation_percent = fields.Number("gpu_utilisation_percent");
  if (event != "end") fields.Reject("event", "is neither \"begin\" nor \"end\"");
  if (begun == run.attempts.end()) fields.Reject("attempt", "ends without having begun");
  EBB_RETURN_IF_ERROR(fields.status());
  *begun = attempt;
  return {};
}

std::string SignalVersionToJson(const core::SignalVersion& version) {
  return Json{{"asked_at_ms", Milliseconds(version.asked_at)},
              {"file", version.file},
              {"sha256", version.sha256},
              {"final", version.is_final}}
      .dump();
}

Status AddSignalVersionLine(std::string_view line, std::string where, core::RunRecord& run) {
  EBB_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Parse(line, std::move(where)));
  core::SignalVersion version;
  version.asked_at = fields.Instant("asked_at_ms");
  version.file = fields.Text("file");
  version.sha256 = fields.Text("sha256");
  version.is_final = fields.Flag("final");
  EBB_RETURN_IF_ERROR(fields.status());
  run.signal_versions.push_back(std::move(version));
  return {};
}

}  // namespace ebb::report
