#include <nlohmann/json.hpp>

#include "engine/journal_json.h"
#include "engine/journal_names.h"

namespace ebb::engine {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t Milliseconds(Time time) { return time.time_since_epoch().count(); }

void Put(Json& json, const char* key, const std::optional<Time>& time) {
  if (time) json[key] = Milliseconds(*time);
}
void Put(Json& json, const char* key, const std::optional<Intensity>& intensity) {
  if (intensity) json[key] = intensity->g_per_kwh;
}

Json ToJson(const core::Cluster& cluster) {
  Json json;
  json["sites"] = Json::array();
  for (const core::Site& site : cluster.sites)
    json["sites"].push_back({{"name", site.name}, {"zone", site.zone}, {"pue", site.pue.ratio}});
  json["pools"] = Json::array();
  for (const core::DevicePool& pool : cluster.pools) {
    json["pools"].push_back({{"model", pool.model},
                             {"site", pool.site},
                             {"count", pool.count},
                             {"speed", pool.speed},
                             {"power_factor", pool.power_factor},
                             {"idle_w", pool.idle.watts}});
    if (pool.away != 0) json["pools"].back()["away"] = pool.away;
  }
  return json;
}

Json ToJson(const core::Job& job) {
  Json json;
  json["id"] = job.id;
  json["name"] = job.name;
  json["submitted"] = Milliseconds(job.submitted);
  json["devices"] = job.devices;
  json["run_time_ms"] = job.run_time.count();
  json["power_w"] = job.power.watts;
  Put(json, "start_by", job.start_by);
  Put(json, "finish_by", job.finish_by);
  if (!job.tier.empty()) json["tier"] = job.tier;
  if (job.priority != 0) json["priority"] = job.priority;
  Put(json, "threshold", job.threshold);
  if (job.on_outage != core::OnOutage::kWait) json["on_outage"] = core::Name(job.on_outage);
  if (job.pausable) json["pausable"] = true;
  // Jobs that are frozen have them, too.
  if (job.pausable || job.pause_overhead != Duration::zero())
    json["pause_overhead_ms"] = job.pause_overhead.count();
  if (job.pausable || job.minimum_segment != Duration::zero())
    json["minimum_segment_ms"] = job.minimum_segment.count();
  if (job.freeze) json["freeze"] = true;
  if (!job.sites.empty()) json["sites"] = job.sites;
  if (!job.models.empty()) json["models"] = job.models;
  for (const core::ModelOverride& entry : job.overrides) {
    json["overrides"].push_back(
        {{"model", entry.model}, {"speed", entry.speed}, {"power_factor", entry.power_factor}});
  }
  return json;
}

Json SamplesToJson(const std::vector<core::Sample>& samples) {
  Json runs = Json::array();
  const core::Sample* last = nullptr;
  for (const core::Sample& sample : samples) {
    const bool goes_on = last && last->interval.end == sample.interval.begin &&
                         last->interval.length() == sample.interval.length() &&
                         last->status == sample.status && last->link == sample.link;
    if (!goes_on) {
      Json origin = core::Name(sample.status);
      if (sample.link > 0) origin = Json::array({core::Name(sample.status), sample.link});
      runs.push_back({Milliseconds(sample.interval.begin), sample.interval.length().count(),
                      std::move(origin)});
    }
    runs.back().push_back(sample.intensity.g_per_kwh);
    last = &sample;
  }
  return runs;
}

Json ToJson(const core::IntensitySeries& series) {
  const core::SignalIdentity& identity = series.identity();
  Json json{{"zone", identity.zone},
            {"kind", core::Name(identity.kind)},
            {"boundary", core::Name(identity.boundary)},
            {"source", identity.source},
            {"samples", SamplesToJson(series.samples())}};
  if (!identity.links.empty()) json["links"] = identity.links;
  return json;
}

Json ToJson(const core::SignalView& view) {
  Json json{{"now", Milliseconds(view.now)}, {"known", ToJson(view.known)}};
  const core::Forecast& forecast = view.forecast;
  json["forecast"] = {{"issued", Milliseconds(forecast.issued)},
                      {"method", forecast.method},
                      {"p50", ToJson(forecast.series)}};
  if (!forecast.p10.empty()) json["forecast"]["p10"] = ToJson(forecast.p10);
  if (!forecast.p90.empty()) json["forecast"]["p90"] = ToJson(forecast.p90);
  return json;
}

Json ToJson(const JobReport& report) {
  Json json{{"job", report.job},
            {"attempt", report.attempt},
            {"phase", Name(report.phase)},
            {"pool", report.pool},
            {"since", Milliseconds(report.since)}};
  if (report.exit_code != 0) json["exit_code"] = report.exit_code;
  if (!report.detail.empty()) json["detail"] = report.detail;
  if (report.machine_trouble) json["machine_trouble"] = true;
  return json;
}

struct FactWriter {
  Json& json;
  void operator()(const ClusterChanged& fact) const { json["cluster"] = ToJson(fact.cluster); }
  void operator()(const JobSubmitted& fact) const { json["job"] = ToJson(fact.job); }
  void operator()(const JobCancelled& fact) const {
    json["job"] = fact.job;
    if (!fact.why.empty()) json["why"] = fact.why;
  }
  void operator()(const JobWished& fact) const {
    json["job"] = fact.job;
    json["wish"] = Name(fact.wish);
  }
  void operator()(const SignalObserved& fact) const {
    json["site"] = fact.site;
    json["next_change"] = Milliseconds(fact.next_change);
    json["view"] = ToJson(fact.view);
  }
  void operator()(const SignalLost& fact) const {
    json["site"] = fact.site;
    json["why"] = fact.why;
    json["retry_at"] = Milliseconds(fact.retry_at);
  }
  void operator()(const JobReport& fact) const { json["report"] = ToJson(fact); }
  void operator()(const ExecutorObserved& fact) const {
    json["reports"] = Json::array();
    for (const JobReport& report : fact.reports) json["reports"].push_back(ToJson(report));
    if (fact.first_look) json["first_look"] = true;
  }
  void operator()(const Tick&) const {}
  void operator()(const EndedForgotten& fact) const { json["before"] = Milliseconds(fact.before); }
  void operator()(const ClockSet& fact) const {
    json["from"] = Milliseconds(fact.from);
    json["to"] = Milliseconds(fact.to);
  }
};

Json ToJson(const Command& command) {
  Json json{{"command", kCommandNames[command.index()]}};
  std::visit(
      [&](const auto& c) {
        json["job"] = c.job;
        json["attempt"] = c.attempt;
      },
      command);
  if (const auto* start = std::get_if<StartJob>(&command)) json["pool"] = start->pool;
  return json;
}

Json ToJson(const Explanation& explanation) {
  Json json{{"job", explanation.job},
            {"stage", Name(explanation.stage)},
            {"rule", core::Name(explanation.rule)},
            {"pool", explanation.pool}};
  Put(json, "current", explanation.current);
  Put(json, "expected", explanation.expected);
  Put(json, "threshold", explanation.threshold);
  Put(json, "expected_start", explanation.expected_start);
  Put(json, "expected_end", explanation.expected_end);
  Put(json, "start_by", explanation.start_by);
  return json;
}

Json ToJson(const Decision& decision) {
  Json json{{"commands", Json::array()}, {"explanations", Json::array()}};
  for (const Command& command : decision.commands) json["commands"].push_back(ToJson(command));
  for (const Explanation& explanation : decision.explanations)
    json["explanations"].push_back(ToJson(explanation));
  json["wake_at"] = Milliseconds(decision.wake_at);
  if (decision.planning != Planning::kWhole)
    json["planning"] = kPlanningNames[static_cast<std::size_t>(decision.planning)];
  return json;
}

}  // namespace

std::string_view Name(JobPhase phase) { return kPhaseNames[static_cast<std::size_t>(phase)]; }

std::string_view KindOf(const JournalRecord& record) {
  const auto* event = std::get_if<Event>(&record);
  return event ? kFactNames[event->fact.index()] : "decision";
}

std::string ToJsonLine(const JournalRecord& record) {
  Json json;
  if (const auto* event = std::get_if<Event>(&record)) {
    json["at"] = Milliseconds(event->at);
    json["event"] = kFactNames[event->fact.index()];
    std::visit(FactWriter{json}, event->fact);
  } else {
    const Decision& decision = std::get<Decision>(record);
    json["at"] = Milliseconds(decision.at);
    json["decision"] = ToJson(decision);
  }
  // Text from outside (a program's message) may not be UTF-8: it is replaced, never refused.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::engine
