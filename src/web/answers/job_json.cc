#include "web/answers/job_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/state.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void Put(Json& json, const char* key, const std::optional<Time>& time) {
  if (time) json[key] = FormatTime(*time);
}
void Put(Json& json, const char* key, const std::optional<Intensity>& intensity) {
  if (intensity) json[key] = intensity->g_per_kwh;
}
void Put(Json& json, const char* key, const std::optional<Emissions>& emissions) {
  if (emissions) json[key] = emissions->grams;
}

Json StretchesJson(const std::vector<Interval>& stretches) {
  Json json = Json::array();
  for (const Interval& stretch : stretches) {
    Json times = Json::array({stretch.begin.time_since_epoch().count()});
    if (stretch.end != Time::max()) times.push_back(stretch.end.time_since_epoch().count());
    json.push_back(std::move(times));
  }
  return json;
}

// What a list of jobs and a chart of devices show of it.
// What waits for others is held until they have succeeded, for the engine.
std::string ReasonOf(const service::JobCard& card) {
  if (card.waits_for.empty() || card.explanation.rule != core::GateRule::kHeld)
    return engine::Sentence(card.explanation);
  std::string jobs;
  for (const core::JobId job : card.waits_for)
    jobs += (jobs.empty() ? "" : ", ") + std::to_string(job);
  return std::string(engine::Name(card.explanation.stage)) + ": after job " + jobs;
}

Json RowJson(const service::JobCard& card) {
  const engine::Explanation& explanation = card.explanation;
  const core::Job& job = card.submission->job;
  Json json{{"id", job.id},
            {"name", job.name},
            {"stage", engine::Name(explanation.stage)},
            {"reason", ReasonOf(card)}};
  Put(json, "expected_start", explanation.expected_start);
  Put(json, "expected_end", explanation.expected_end);
  Put(json, "ended", card.ended);
  json["devices"] = job.devices;
  if (explanation.pool >= 0) json["pool"] = explanation.pool;
  if (!card.detail.empty()) json["detail"] = card.detail;
  if (!card.waits_for.empty()) json["waits_for"] = card.waits_for;
  // [begin, end] in milliseconds since 1970; the last one may go on: [begin].
  if (!card.stretches.empty()) json["ran_ms"] = StretchesJson(card.stretches);
  // Of each of these, as far as it is known: which devices of the pool, from 0 on.
  if (!card.slots.empty()) json["ran_on"] = card.slots;
  if (!card.planned.empty()) json["planned_ms"] = StretchesJson(card.planned);
  json["energy_kwh"] = card.energy.kwh();
  Put(json, "emissions_g", card.emitted());
  return json;
}

Json CardJson(const service::JobCard& card, bool whole) {
  const engine::Explanation& explanation = card.explanation;
  const core::Submission& submission = *card.submission;
  const core::Job& job = submission.job;
  Json json = RowJson(card);
  json["rule"] = core::Name(explanation.rule);
  json["submitted"] = FormatTime(job.submitted);
  if (!job.tier.empty()) json["tier"] = job.tier;
  if (submission.sweep > 0) json["sweep"] = submission.sweep;
  Put(json, "start_by", explanation.start_by);
  Put(json, "intensity_now", explanation.current);
  Put(json, "intensity_expected", explanation.expected);
  Put(json, "started", card.first_start);
  json["attempt"] = card.attempt;
  json["pauses"] = card.pauses;
  if (card.exit_code) json["exit_code"] = *card.exit_code;
  Put(json, "emissions_at_submission_g", card.emissions_at_submission);
  if (card.saving_half_width_g) json["saving_half_width_g"] = *card.saving_half_width_g;
  Put(json, "first_come_start", card.first_come_start);
  Put(json, "emissions_first_come_g", card.emissions_first_come);
  if (card.first_come_half_width_g) json["first_come_half_width_g"] = *card.first_come_half_width_g;
  if (!whole) return json;
  for (const auto& [name, value] : submission.parameters) json["parameters"][name] = value;
  json["command"] = submission.command;
  json["working_directory"] = submission.working_directory;
  json["duration_s"] = Seconds(job.run_time);
  if (explanation.stage == engine::Stage::kSucceeded && !card.stretches.empty()) {
    Duration ran{0};
    for (const Interval& stretch : card.stretches)
      if (stretch.end != Time::max()) ran += stretch.length();
    json["ran_s"] = Seconds(ran);
    json["duration_error_percent"] = 100 * (Seconds(ran) / Seconds(job.run_time) - 1);
  }
  json["power_w"] = job.power.watts;
  json["checkpointable"] = job.pausable;
  if (job.freeze) json["freeze"] = true;
  if (submission.power_cap) json["power_cap"] = core::Describe(*submission.power_cap);
  core::Tracking shown = submission.tracking;
  shown.mlflow_token_file.clear();
  for (const auto& [key, text] : core::KeysOf(shown)) json["trackers"][key] = text;
  json["priority"] = job.priority;
  Put(json, "finish_by", job.finish_by);
  Put(json, "threshold", job.threshold);
  if (submission.run_limit) json["time_limit_s"] = Seconds(*submission.run_limit);
  if (!submission.after.empty()) json["after"] = submission.after;
  if (!submission.key.empty()) json["key"] = submission.key;
  return json;
}

Json SeriesJson(const core::IntensitySeries& series) {
  Json points = Json::array();
  for (const core::Sample& sample : series.samples()) {
    points.push_back({sample.interval.begin.time_since_epoch().count(),
                      sample.interval.end.time_since_epoch().count(), sample.intensity.g_per_kwh,
                      core::Name(sample.status)});
  }
  return points;
}

// What a program emits at its present power; nothing while that is not known.
std::optional<Emissions> HourlyEmissions(const service::View& view,
                                         const local::SupervisedFigures& program) {
  const auto pool = static_cast<std::size_t>(program.pool);
  if (program.pool < 0 || pool >= view.cluster.pools.size()) return std::nullopt;
  const auto site = static_cast<std::size_t>(view.cluster.pools[pool].site);
  if (site >= view.signals.size() || !view.signals[site].view) return std::nullopt;
  const core::Sample* sample = view.signals[site].view->At(view.now);
  if (!sample) return std::nullopt;
  const double kwh = program.figures.power.watts / 1000;  // in an hour
  return Emissions{kwh * view.cluster.sites[site].pue.ratio * sample->intensity.g_per_kwh};
}

// Below 0: more than the baseline.
Json SavingJson(const store::Compared& compared, const char* baseline_name) {
  return {{"jobs", compared.jobs},
          {"not_compared", compared.not_compared},
          {"jobs_emissions_g", compared.emitted.grams},
          {baseline_name, compared.baseline.grams},
          {"saved_g", compared.baseline.grams - compared.emitted.grams},
          {"half_width_g", compared.half_width_g},
          {"without_interval", compared.without_interval}};
}

Json RunningJson(const service::View& view) {
  Json running = Json::array();
  for (const local::SupervisedFigures& program : view.running) {
    running.push_back({{"job", program.job},
                       {"attempt", program.attempt},
                       {"pool", program.pool},
                       {"slots", program.slots},
                       {"gpus", program.gpus},
                       {"elapsed_s", Seconds(program.figures.elapsed)},
                       {"power_w", program.figures.power.watts},
                       {"energy_kwh", program.figures.energy.kwh()},
                       {"emissions_g", program.figures.emissions.grams}});
    Put(running.back(), "emissions_g_per_hour", HourlyEmissions(view, program));
  }
  return running;
}

std::string_view StateOf(const local::Device& device) {
  return device.gone_since ? "gone" : device.aside ? "set aside" : "ready";
}

// GPUs of the service; of the CPU there are only slots.
Json DevicesJson(const service::View& view) {
  Json devices = Json::array();
  for (const local::Device& device : view.devices) {
    if (!device.offered) continue;
    const core::DevicePool* pool = nullptr;
    if (static_cast<std::size_t>(device.pool) < view.cluster.pools.size())
      pool = &view.cluster.pools[static_cast<std::size_t>(device.pool)];
    Json json{{"name", device.name}, {"pool", device.pool}, {"slot", device.slot}};
    if (pool) json["model"] = pool->model;
    if (device.index) json["index"] = *device.index;
    json["state"] = StateOf(device);
    if (device.gone_since) json["since"] = FormatTime(*device.gone_since);
    if (!device.gone_since && device.aside) {
      json["since"] = FormatTime(device.aside->since);
      json["by"] = local::Name(device.aside->by);
      if (!device.aside->why.empty()) json["why"] = device.aside->why;
      if (device.aside->retry_at) json["retry_at"] = FormatTime(*device.aside->retry_at);
    }
    for (const local::SupervisedFigures& program : view.running)
      if (std::find(program.gpus.begin(), program.gpus.end(), device.name) != program.gpus.end())
        json["job"] = program.job;
    devices.push_back(std::move(json));
  }
  return devices;
}

}  // namespace

std::string JobToJson(const service::JobCard& card, bool whole) {
  return Dump(CardJson(card, whole));
}

std::string JobRowToJson(const service::JobCard& card) { return Dump(RowJson(card)); }

std::string JobToJson(const store::JobRecord& record) {
  Json json{{"id", record.id},
            {"name", record.name},
            {"stage", engine::Name(record.stage)},
            {"submitted", FormatTime(record.submitted)}};
  if (!record.tier.empty()) json["tier"] = record.tier;
  if (record.sweep > 0) json["sweep"] = record.sweep;
  Put(json, "started", record.first_start);
  Put(json, "ended", record.ended);
  json["pauses"] = record.pauses;
  if (record.exit_code) json["exit_code"] = *record.exit_code;
  if (!record.detail.empty()) json["detail"] = record.detail;
  json["energy_kwh"] = record.energy.kwh();
  Put(json, "emissions_g", record.emissions);
  return Dump(json);
}

std::string ViewToJson(const service::View& view, std::uint64_t after_happening) {
  std::map<std::string_view, std::int64_t> stages;
  double emissions_g = 0, energy_kwh = 0;
  // Those that are only in the store count in all sums.
  const store::EndedSums& forgotten = view.forgotten;
  energy_kwh += forgotten.energy.kwh();
  emissions_g += forgotten.emissions.grams;
  store::Compared on_submission = forgotten.on_submission;
  store::Compared on_first_come = forgotten.on_first_come;
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    ++stages[engine::Name(card.explanation.stage)];
    energy_kwh += card.energy.kwh();
    if (const auto emitted = card.emitted()) emissions_g += emitted->grams;
    if (!engine::HasEnded(card.explanation.stage)) return true;
    on_submission.Add(card.energy, card.emitted(), card.at_submission());
    on_first_come.Add(card.energy, card.emitted(), card.first_come());
    return true;
  });
  Json json{{"version", view.version}, {"now", FormatTime(view.now)}, {"jobs", Json::object()}};
  for (const auto& [stage, count] : stages) json["jobs"][std::string(stage)] = count;
  json["running"] = RunningJson(view);
  json["energy_kwh"] = energy_kwh;
  json["emissions_g"] = emissions_g;
  json["saved"] = SavingJson(on_submission, "at_submission_g");
  json["saved_on_first_come"] = SavingJson(on_first_come, "first_come_g");
  json["signals"] = Json::array();
  for (const service::SiteSignalView& signal : view.signals) {
    Json entry;
    if (signal.view) {
      entry["zone"] = signal.view->known.identity().zone;
      entry["source"] = signal.view->known.identity().source;
      if (const core::Sample* sample = signal.view->At(view.now)) {
        entry["g_per_kwh"] = sample->intensity.g_per_kwh;
        entry["status"] = core::Name(sample->status);
      }
    }
    if (!signal.lost.empty()) entry["lost"] = signal.lost;
    json["signals"].push_back(std::move(entry));
  }
  json["pools"] = Json::array();
  for (std::size_t pool = 0; pool < view.cluster.pools.size(); ++pool)
    json["pools"].push_back({{"model", view.cluster.pools[pool].model},
                             {"count", view.cluster.pools[pool].count},
                             {"away", view.cluster.pools[pool].away}});
  json["devices"] = DevicesJson(view);
  if (!view.device_trouble.empty()) json["device_trouble"] = view.device_trouble;
  json["happenings"] = Json::array();
  for (const service::Happening& happening : view.happenings) {
    if (happening.number <= after_happening) continue;
    json["happenings"].push_back({{"number", happening.number},
                                  {"at", FormatTime(happening.at)},
                                  {"job", happening.job},
                                  {"text", happening.text}});
  }
  if (!view.trouble.empty()) json["trouble"] = view.trouble;
  return Dump(json);
}

std::string RecurringToJson(const service::View& view) {
  Json list = Json::array();
  for (const service::RecurringView& job : view.recurring) {
    list.push_back({{"name", job.name},
                    {"cron", job.recurrence.cron},
                    {"flexibility_s", Seconds(job.recurrence.flexibility)},
                    {"overlap", core::Name(job.recurrence.overlap)},
                    {"paused", job.paused},
                    {"next", job.next == Time::max() ? Json() : Json(FormatTime(job.next))}});
  }
  return Dump({{"recurring", std::move(list)}});
}

std::string SignalsToJson(const service::View& view) {
  Json sites = Json::array();
  for (std::size_t site = 0; site < view.signals.size(); ++site) {
    const auto& signal = view.signals[site].view;
    if (!signal) continue;
    const core::SignalIdentity& identity = signal->known.identity();
    Json json{{"site", site},
              {"zone", identity.zone},
              {"kind", core::Name(identity.kind)},
              {"boundary", core::Name(identity.boundary)},
              {"source", identity.source},
              {"known", SeriesJson(signal->known)},
              {"forecast_method", signal->forecast.method},
              {"forecast", SeriesJson(signal->forecast.series)}};
    if (!signal->forecast.p10.empty()) {
      json["p10"] = SeriesJson(signal->forecast.p10);
      json["p90"] = SeriesJson(signal->forecast.p90);
    }
    if (!view.signals[site].lost.empty()) json["lost"] = view.signals[site].lost;
    sites.push_back(std::move(json));
  }
  return Dump({{"now", FormatTime(view.now)}, {"sites", std::move(sites)}});
}

std::string ErrorToJson(const Error& error) {
  Json json{{"what", error.what}};
  if (!error.where.empty()) json["where"] = error.where;
  if (!error.next.empty()) json["next"] = error.next;
  return Dump({{"error", std::move(json)}}) + "\n";
}

}  // namespace ebb::web
