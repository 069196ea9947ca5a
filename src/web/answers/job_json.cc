#include "web/answers/job_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/jobs/owner_variables.h"
#include "core/jobs/widths.h"
#include "core/options/job_options.h"
#include "engine/state.h"
#include "report/described_work.h"
#include "report/json_parts.h"
#include "web/answers/place_and_time_answer.h"
#include "web/answers/short_answers.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;
using report::DescribedJson;
using report::If;
using report::IfAny;
using report::UpTo;
using service::JobCard;

struct WaitedAnswer {
  report::HadItWaited waited;
  void Describe(DescribedJson& json) const {
    json.Is("HadItWaited",
            "What a job that began when it was submitted would have emitted had it waited: an "
            "estimate by known hours and a forecast, as of its end.");
    json("up_to_s", "starts so long after its own were looked at", waited.up_to);
    json("start", "the best of them, or its own", waited.start);
    json("expected_g", "there, in g CO2e", waited.at_best);
    json("expected_g_at_once", "at its own start, on the same hours", waited.at_once);
    json("saving_percent", "of expected_g_at_once", waited.SavingPercent());
    json("forecast_method", "whose expectation it is", waited.forecast_method);
    json("forecast_issued", "when that was made", waited.forecast_issued);
  }
};

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Each interval as [begin, end] in milliseconds since 1970; one that has not ended as [begin].
std::vector<std::vector<std::int64_t>> InMilliseconds(const std::vector<Interval>& stretches) {
  std::vector<std::vector<std::int64_t>> all;
  for (const Interval& stretch : stretches) {
    all.push_back({Milliseconds(stretch.begin)});
    if (stretch.end != Time::max()) all.back().push_back(Milliseconds(stretch.end));
  }
  return all;
}

// The engine's reason for a job that waits for others is that it is held; the answer names the jobs
// instead.
std::string ReasonOf(const JobCard& card) {
  if (card.waits_for.empty() || card.explanation.reason.rule != core::GateRule::kHeld)
    return engine::Sentence(card.explanation);
  std::string jobs;
  for (const core::JobId job : card.waits_for)
    jobs += (jobs.empty() ? "" : ", ") + std::to_string(job);
  return std::string(engine::Name(card.explanation.stage)) + ": after job " + jobs;
}

// The seconds that a job ran, if it has succeeded: only such a job is compared with its estimate.
std::optional<double> RanSeconds(const JobCard& card) {
  if (card.explanation.stage != engine::Stage::kSucceeded || card.stretches.empty())
    return std::nullopt;
  Duration ran{0};
  for (const Interval& stretch : card.stretches)
    if (stretch.end != Time::max()) ran += stretch.length();
  return Seconds(ran);
}

std::optional<double> Percent(const std::optional<double>& share) {
  return share ? std::optional(100 * *share) : std::nullopt;
}

// The number of devices of an elastic job while it has some.
std::optional<int> WidthNow(const JobCard& card) {
  const bool runs = !card.stretches.empty() && card.stretches.back().end == Time::max();
  if (!runs || card.widths.empty() || card.widths.back() == 0) return std::nullopt;
  return card.widths.back();
}

void PutRow(DescribedJson& json, const JobCard& card) {
  const engine::Explanation& explanation = card.explanation;
  const core::Job& job = card.submission->job;
  json("id", "its number", job.id);
  json("name", "its name", job.name);
  json("stage", "where it is", UpTo<engine::Stage::kCancelled>{explanation.stage});
  json("reason", "why; times in UTC", ReasonOf(card));
  json("expected_start", "or when it is to go on", explanation.reason.start);
  json("expected_end", "by the plan", explanation.reason.end);
  json("ended", "when it ended", card.ended);
  json("devices", "how many at once; of an elastic job, its own width", job.devices);
  json("devices_now", "how many an elastic job has now", WidthNow(card));
  json("pool", "which of /status pools, from 0 on", If(explanation.pool >= 0, explanation.pool));
  json("site", "where it runs, ran last or is to run, if the service has several sites",
       IfAny(card.site));
  json("detail",
       "why it failed, was cancelled or is held, or what it waits for once it has started",
       IfAny(card.detail));
  json("remark", "what its executor cannot do for it, for example change its width",
       IfAny(card.remark));
  json("waits_for", "jobs that have to succeed first", IfAny(card.waits_for));
  json("ran_ms", "[begin, end] in milliseconds since 1970; one that goes on: [begin]",
       IfAny(InMilliseconds(card.stretches)));
  json("ran_on", "of each: devices of the pool, from 0 on; empty: unknown", IfAny(card.slots));
  json("ran_devices", "of each of ran_ms: how many devices an elastic job had; 0: unknown",
       IfAny(card.widths));
  json("planned_ms", "as ran_ms, of what is to come", IfAny(InMilliseconds(card.planned)));
  json("planned_devices", "of each: how many devices an elastic job is to have",
       IfAny(card.planned_widths));
  json("planned_sites", "of each: the site, if the job is to go from one to another while it runs",
       IfAny(card.planned_sites));
  json("energy_kwh", "so far", card.energy);
  json("emissions_g", "so far, in g CO2e", card.emitted());
  json("progress_percent", "of the steps of its training, as its program reports them",
       Percent(card.share));
}

void PutLine(DescribedJson& json, const JobCard& card) {
  const engine::Explanation& explanation = card.explanation;
  const core::Submission& submission = *card.submission;
  json("rule", "the reason in one word", explanation.reason.rule);
  json("submitted", "when it was submitted", submission.job.submitted);
  json("tier", "the name of its tier", IfAny(submission.job.tier));
  json("user", "whose it is, as EBB_USER of its environment says",
       IfAny(core::VariableOf(submission, core::kUserVariable)));
  json("sweep", "the number of its sweep", If(submission.sweep > 0, submission.sweep));
  json("latest_start",
       "that still keeps start_by and finish_by; of a job without either the service sets one",
       explanation.reason.latest);
  json("misses_deadline", "a drain keeps it waiting beyond its latest start",
       If(explanation.misses_deadline, true));
  json("intensity_now", "g CO2e per kWh", explanation.reason.current);
  json("intensity_expected", "g CO2e per kWh, of the planned time", explanation.reason.expected);
  json("started", "when it first started", card.first_start);
  json("attempt", "the number of the last one; 0: none yet", card.attempt);
  json("pauses", "how many there were", card.pauses);
  json(
      "exit_code",
      "of the last attempt, once the job has ended; none: cancelled before an attempt ended itself",
      card.exit_code);
  json("emissions_at_submission_g", "of the same energy, had it run when it was submitted",
       card.emissions_at_submission);
  json("saving_half_width_g",
       "emissions_at_submission_g - emissions_g is known to this, 95 %; where it is smaller, there "
       "is not a clear difference",
       card.saving_half_width_g);
  json("first_come_start", "had it been first come, first served", card.first_come_start);
  json("emissions_first_come_g", "of the same energy, first come, first served",
       card.emissions_first_come);
  json("first_come_half_width_g", "emissions_first_come_g - emissions_g is known to this, 95 %",
       card.first_come_half_width_g);
}

template <typename T>
void PutOption(DescribedJson& json, const core::JobOption& option,
               const core::Submission& submission) {
  const std::string key = core::AnswerKey(option.field);
  const auto value = option.get(submission);
  // An option that has a default is always in the answer. When the answer is described, this gives
  // its type.
  if (option.get(core::Submission()))
    json(key, option.field.meaning, std::get<T>(*value));
  else
    json(key, option.field.meaning,
         value ? std::optional(std::get<T>(*value)) : std::optional<T>());
}
template <typename T>
void PutOptionIfAny(DescribedJson& json, const core::JobOption& option,
                    const core::Submission& submission) {
  const auto value = option.get(submission);
  const T given = value ? std::get<T>(*value) : T();
  json(core::AnswerKey(option.field), option.field.meaning, IfAny(given));
}

// Writes the options that consist of their value only; PutRow writes two of them.
void PutOptions(DescribedJson& json, const core::Submission& submission) {
  for (const core::JobOption& option : core::JobOptions()) {
    if (!option.get || option.field.key == "name" || option.field.key == "devices") continue;
    switch (option.field.shape) {
      case core::Shape::kNumber:
        PutOption<double>(json, option, submission);
        break;
      case core::Shape::kWhole:
        PutOption<std::int64_t>(json, option, submission);
        break;
      case core::Shape::kFlag:
        PutOption<bool>(json, option, submission);
        break;
      case core::Shape::kDuration:
        PutOption<Duration>(json, option, submission);
        break;
      case core::Shape::kTexts:
        PutOptionIfAny<std::vector<std::string>>(json, option, submission);
        break;
      default:
        PutOptionIfAny<std::string>(json, option, submission);
    }
  }
}

// Leaves out what is unknown.
constexpr auto kLeftOut = [](const auto& maybe) { return maybe; };

void PutWork(DescribedJson& json, const JobCard& card) {
  report::DescribeWork(json, card.work, card.per_unit(), kLeftOut);
  json("energy_half_width_percent",
       "energy_kwh and energy per unit of work are known to this, 95 %, once it has ended",
       Percent(card.energy_half_width));
  json("emissions_half_width_percent",
       "emissions_g and emissions per unit of work are known to this, 95 %, once it has ended",
       Percent(card.emissions_half_width));
}

void PutRest(DescribedJson& json, const JobCard& card) {
  const core::Submission& submission = *card.submission;
  const core::Job& job = submission.job;
  json("parameters", "what its sweep varies, and its values", IfAny(submission.parameters));
  json("command", "the program and its arguments", submission.command);
  PutOptions(json, submission);
  json(
      "learned_speedup",
      "of an elastic job, as speedup: the speeds that Ebb has measured, and that plans use instead",
      IfAny(core::Describe(job.learned_speedup)));
  const auto ran = RanSeconds(card);
  json("ran_s", "how long it ran, if it has succeeded", ran);
  json("duration_error_percent", "of the estimate; above 0: it took longer",
       If(ran.has_value(), 100 * (ran.value_or(0) / Seconds(job.duration) - 1)));
  PutWork(json, card);
  core::Tracking shown = submission.tracking;
  shown.mlflow_token_file.clear();
  json("trackers", "where its figures go while it runs", IfAny(core::KeysOf(shown)));
  json("start_by", "as submitted", job.start_by);
  json("finish_by", "its deadline", job.finish_by);
  json("had_it_waited", "of a job that began when it was submitted, once it has ended",
       card.had_it_waited ? std::optional(WaitedAnswer{*card.had_it_waited}) : std::nullopt);
  json("place_and_time", "once it has ended, if the service has several sites",
       PlaceAndTimeAnswer::Of(card.place_and_time, card.emitted()));
  json("after", "the jobs that it depends on", IfAny(submission.after));
}

// Writes a job that is only in the store.
void PutRecord(DescribedJson& json, const store::JobRecord& record) {
  json("id", "", record.id);
  json("name", "", record.name);
  json("stage", "", UpTo<engine::Stage::kCancelled>{record.stage});
  json("submitted", "", record.submitted);
  json("tier", "", IfAny(record.tier));
  json("sweep", "", If(record.sweep > 0, record.sweep));
  json("started", "", record.first_start);
  json("ended", "", record.ended);
  json("pauses", "", record.pauses);
  json("exit_code", "", record.exit_code);
  json("detail", "", IfAny(record.detail));
  json("energy_kwh", "", record.energy);
  json("emissions_g", "", record.emissions);
  report::DescribeWork(json, record.work, record.per_unit(), kLeftOut);
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

}  // namespace

void JobAnswer::Describe(DescribedJson& json) const {
  json.Is("Job",
          "What is unknown is left out. A job that is only in the store, because it ended long "
          "ago, has fewer keys. In a list, command and what follows it are left out.");
  const auto put_power_cap = [&] {
    json("power_cap_kept",
         "with power_cap auto: the limit that was kept, and what it saves, or why none was",
         IfAny(power_cap));
  };
  if (record) {
    PutRecord(json, *record);
    return put_power_cap();
  }
  JobCard none;
  if (!card) none.submission = std::make_shared<const core::Submission>();
  const JobCard& shown = card ? *card : none;
  PutRow(json, shown);
  if (form != Form::kRow) PutLine(json, shown);
  if (form == Form::kWhole) {
    PutRest(json, shown);
    put_power_cap();
    json("site_choices",
         "why it goes to its site: the grams at each, the fewest first, while the job has not "
         "ended and the service has several sites",
         IfAny(site_choices));
  }
  json.AlsoAs([&] { PutRow(json, shown); });
  json.AlsoAs([&] { PutRecord(json, {}); });
}

void Queue::Describe(DescribedJson& json) const {
  json.Is("Queue", "The queue, or a part of it.")("jobs", "by number", jobs);
  json("next", "from=, of the next part", next);
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
    Json json{{"site", site}};
    json.update(report::SignalJson(signal->known.identity()));
    json["known"] = SeriesJson(signal->known);
    json["forecast_method"] = signal->forecast.method;
    json["forecast"] = SeriesJson(signal->forecast.series);
    if (!signal->forecast.p10.empty()) {
      json["p10"] = SeriesJson(signal->forecast.p10);
      json["p90"] = SeriesJson(signal->forecast.p90);
    }
    if (!view.signals[site].lost.empty()) json["lost"] = view.signals[site].lost;
    sites.push_back(std::move(json));
  }
  return Dump({{"now", FormatTime(view.now)}, {"sites", std::move(sites)}});
}

std::string ErrorToJson(const Error& error) { return report::ToJson(ErrorAnswer{{error}}) + "\n"; }

}  // namespace ebb::web
