#include <nlohmann/json.hpp>
#include <utility>

#include "base/enum_names.h"
#include "engine/journal_json.h"
#include "engine/journal_names.h"

namespace ebb::engine {
namespace {

using Json = nlohmann::json;

// Thrown and caught in this file only, as the library does with its own.
struct BadRecord {
  std::string what;
};

// The library would cut a fraction off and let a large number overflow.
template <typename T>
T Whole(const Json& json) {
  if (json.is_number_integer()) {
    const auto value = json.get<std::int64_t>();
    const bool wrapped = json.is_number_unsigned() && value < 0;
    if (!wrapped && std::in_range<T>(value)) return static_cast<T>(value);
  }
  throw BadRecord{"is no whole number in range: " + json.dump()};
}
int IntegerOr(const Json& json, const char* key, int otherwise) {
  return json.contains(key) ? Whole<int>(json.at(key)) : otherwise;
}

Time TimeFrom(const Json& json) { return Time{Duration{Whole<std::int64_t>(json)}}; }
Duration DurationFrom(const Json& json) { return Duration{Whole<std::int64_t>(json)}; }
Duration DurationOrZero(const Json& json, const char* key) {
  return json.contains(key) ? DurationFrom(json.at(key)) : Duration::zero();
}

std::optional<Time> OptionalTime(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return TimeFrom(json.at(key));
}
std::optional<Intensity> OptionalIntensity(const Json& json, const char* key) {
  if (!json.contains(key)) return std::nullopt;
  return Intensity{json.at(key).get<double>()};
}

template <typename T>
T Known(const std::optional<T>& value, const Json& name) {
  if (!value) throw BadRecord{"has an unknown name: " + name.dump()};
  return *value;
}

core::Cluster ClusterFrom(const Json& json) {
  core::Cluster cluster;
  for (const Json& site : json.at("sites"))
    cluster.sites.push_back({site.at("name"), site.at("zone"), {site.at("pue").get<double>()}});
  for (const Json& pool : json.at("pools")) {
    cluster.pools.push_back({pool.at("model"),
                             Whole<int>(pool.at("site")),
                             Whole<int>(pool.at("count")),
                             pool.at("speed"),
                             pool.at("power_factor"),
                             {pool.at("idle_w").get<double>()},
                             IntegerOr(pool, "away", 0)});
  }
  return cluster;
}

core::Job JobFrom(const Json& json) {
  core::Job job;
  job.id = Whole<core::JobId>(json.at("id"));
  job.name = json.at("name");
  job.submitted = TimeFrom(json.at("submitted"));
  job.devices = Whole<int>(json.at("devices"));
  job.run_time = DurationFrom(json.at("run_time_ms"));
  job.power = {json.at("power_w").get<double>()};
  job.start_by = OptionalTime(json, "start_by");
  job.finish_by = OptionalTime(json, "finish_by");
  job.tier = json.value("tier", "");
  job.priority = IntegerOr(json, "priority", 0);
  job.threshold = OptionalIntensity(json, "threshold");
  if (json.contains("on_outage"))
    job.on_outage = Known(core::OnOutageFromName(json.at("on_outage").get<std::string>()),
                          json.at("on_outage"));
  job.pausable = json.value("pausable", false);
  job.pause_overhead = DurationOrZero(json, "pause_overhead_ms");
  job.minimum_segment = DurationOrZero(json, "minimum_segment_ms");
  job.freeze = json.value("freeze", false);
  job.sites = json.value("sites", std::vector<std::string>{});
  job.models = json.value("models", std::vector<std::string>{});
  for (const Json& entry : json.value("overrides", Json::array()))
    job.overrides.push_back({entry.at("model"), entry.at("speed"), entry.at("power_factor")});
  return job;
}

core::IntensitySeries SeriesFrom(const Json& json) {
  core::SignalIdentity identity;
  identity.zone = json.at("zone");
  identity.kind =
      Known(core::SignalKindFromName(json.at("kind").get<std::string>()), json.at("kind"));
  identity.boundary =
      Known(core::BoundaryFromName(json.at("boundary").get<std::string>()), json.at("boundary"));
  identity.source = json.at("source");
  identity.links = json.value("links", std::vector<std::string>{});
  std::vector<core::Sample> samples;
  for (const Json& run : json.at("samples")) {
    Time begin = TimeFrom(run.at(0));
    const Duration length = DurationFrom(run.at(1));
    const Json& origin = run.at(2);
    const Json& name = origin.is_array() ? origin.at(0) : origin;
    const auto status = Known(core::SampleStatusFromName(name.get<std::string>()), name);
    const auto link = origin.is_array() ? Whole<std::uint8_t>(origin.at(1)) : std::uint8_t{0};
    for (std::size_t i = 3; i < run.size(); ++i, begin += length)
      samples.push_back({{begin, begin + length}, {run.at(i).get<double>()}, status, link});
  }
  // An empty series of a view has no identity to speak of, and that is fine.
  auto series = core::IntensitySeries::Create(std::move(identity), std::move(samples));
  if (!series) throw BadRecord{series.error().Message()};
  return *std::move(series);
}

core::SignalView ViewFrom(const Json& json) {
  core::SignalView view;
  view.now = TimeFrom(json.at("now"));
  view.known = SeriesFrom(json.at("known"));
  const Json& forecast = json.at("forecast");
  view.forecast.issued = TimeFrom(forecast.at("issued"));
  view.forecast.method = forecast.at("method");
  view.forecast.series = SeriesFrom(forecast.at("p50"));
  if (forecast.contains("p10")) view.forecast.p10 = SeriesFrom(forecast.at("p10"));
  if (forecast.contains("p90")) view.forecast.p90 = SeriesFrom(forecast.at("p90"));
  return view;
}

JobReport ReportFrom(const Json& json) {
  JobReport report;
  report.job = Whole<core::JobId>(json.at("job"));
  report.attempt = Whole<int>(json.at("attempt"));
  report.phase = Known(EnumFromName<JobPhase>(kPhaseNames, json.at("phase").get<std::string>()),
                       json.at("phase"));
  report.pool = Whole<int>(json.at("pool"));
  report.since = TimeFrom(json.at("since"));
  report.exit_code = IntegerOr(json, "exit_code", 0);
  report.detail = json.value("detail", "");
  report.machine_trouble = json.value("machine_trouble", false);
  return report;
}

Fact FactFrom(const Json& json) {
  const std::string name = json.at("event");
  if (name == "cluster_changed") return ClusterChanged{ClusterFrom(json.at("cluster"))};
  if (name == "job_submitted") return JobSubmitted{JobFrom(json.at("job"))};
  if (name == "job_cancelled")
    return JobCancelled{Whole<core::JobId>(json.at("job")), json.value("why", "")};
  if (name == "job_wished") {
    return JobWished{Whole<core::JobId>(json.at("job")),
                     Known(WishFromName(json.at("wish").get<std::string>()), json.at("wish"))};
  }
  if (name == "signal_observed") {
    return SignalObserved{Whole<int>(json.at("site")), ViewFrom(json.at("view")),
                          TimeFrom(json.at("next_change"))};
  }
  if (name == "signal_lost")
    return SignalLost{Whole<int>(json.at("site")), json.at("why"), TimeFrom(json.at("retry_at"))};
  if (name == "ended_forgotten") return EndedForgotten{TimeFrom(json.at("before"))};
  if (name == "job_report") return ReportFrom(json.at("report"));
  if (name == "executor_observed") {
    ExecutorObserved observed;
    for (const Json& report : json.at("reports")) observed.reports.push_back(ReportFrom(report));
    observed.first_look = json.value("first_look", false);
    return observed;
  }
  if (name == "tick") return Tick{};
  if (name == "clock_set") return ClockSet{TimeFrom(json.at("from")), TimeFrom(json.at("to"))};
  throw BadRecord{"has an unknown event: " + name};
}

Command CommandFrom(const Json& json) {
  const std::string name = json.at("command");
  const auto job = Whole<core::JobId>(json.at("job"));
  const int attempt = Whole<int>(json.at("attempt"));
  if (name == "start") return StartJob{job, attempt, Whole<int>(json.at("pool"))};
  if (name == "pause") return PauseJob{job, attempt};
  if (name == "cancel") return CancelJob{job, attempt};
  throw BadRecord{"has an unknown command: " + name};
}

Explanation ExplanationFrom(const Json& json) {
  Explanation explanation;
  explanation.job = Whole<core::JobId>(json.at("job"));
  explanation.stage = Known(StageFromName(json.at("stage").get<std::string>()), json.at("stage"));
  explanation.rule =
      Known(core::GateRuleFromName(json.at("rule").get<std::string>()), json.at("rule"));
  explanation.pool = Whole<int>(json.at("pool"));
  explanation.current = OptionalIntensity(json, "current");
  explanation.expected = OptionalIntensity(json, "expected");
  explanation.threshold = OptionalIntensity(json, "threshold");
  explanation.expected_start = OptionalTime(json, "expected_start");
  explanation.expected_end = OptionalTime(json, "expected_end");
  explanation.start_by = OptionalTime(json, "start_by");
  return explanation;
}

Decision DecisionFrom(const Json& json, Time at) {
  Decision decision;
  decision.at = at;
  for (const Json& command : json.at("commands")) decision.commands.push_back(CommandFrom(command));
  for (const Json& explanation : json.at("explanations"))
    decision.explanations.push_back(ExplanationFrom(explanation));
  decision.wake_at = TimeFrom(json.at("wake_at"));
  if (json.contains("planning"))
    decision.planning =
        Known(EnumFromName<Planning>(kPlanningNames, json.at("planning").get<std::string>()),
              json.at("planning"));
  return decision;
}

}  // namespace

Result<JournalRecord> FromJsonLine(std::string_view line) {
  const auto bad = [](std::string what) {
    return Fail({ExitCode::kConfiguration, std::move(what), "journal record", ""});
  };
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return bad("is not a JSON object");
  try {
    const Time at = TimeFrom(json.at("at"));
    if (json.contains("decision")) return DecisionFrom(json.at("decision"), at);
    return Event{at, FactFrom(json)};
  } catch (const Json::exception& error) {
    return bad(error.what());
  } catch (const BadRecord& error) {
    return bad(error.what);
  }
}

}  // namespace ebb::engine
