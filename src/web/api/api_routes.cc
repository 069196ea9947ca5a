// The table of routes: address, handler, parameters, body and answer of each.

#include "web/answers/drain_answer.h"
#include "web/answers/job_json.h"
#include "web/answers/past_job.h"
#include "web/answers/short_answers.h"
#include "web/answers/sites_answer.h"
#include "web/answers/status_answer.h"
#include "web/api/api.h"

namespace ebb::web {

using report::SchemaOf;
using RouteList = std::vector<Api::Route>;
constexpr auto kDone = &SchemaOf<Done>;
constexpr auto kDeviceDone = &SchemaOf<DeviceDone>;

namespace {

using Parameters = std::vector<Parameter>;

Api::Route With(Api::Route route, Parameters parameters) {
  route.parameters = std::move(parameters);
  return route;
}

Parameter NameOf(const char* what) {
  return TextParameter("name", std::string("only ") + what + " with this name");
}
Parameter UserOfJobs() { return TextParameter("user", "only this user's jobs"); }
Parameter Why() { return TextParameter("why", "the reason, for people"); }
Parameter Location() { return Required(TextParameter("location", "the name of a zone")); }

Parameters OfRecurring() { return {Required(TextParameter("name", "of a recurring job"))}; }
Parameters OfDevice() {
  return {Required(TextParameter("name", "UUID, the unique beginning of one, or a number"))};
}
Parameters OfDeviceAside() { return {OfDevice().front(), Why()}; }

Parameters OfQueue() {
  return {StagesParameter(false), NameOf("jobs"), UserOfJobs(), JobsLimit(), JobsFrom()};
}

Parameters OfHistory() {
  const auto ended = [](const char* name, const char* when) {
    return TimeOrDurationParameter(
        name, std::string("ended ") + when + ": a time, or a duration before now");
  };
  return {StagesParameter(true),
          NameOf("jobs"),
          UserOfJobs(),
          ended("since", "then or later"),
          ended("until", "before then"),
          HistoryLimit(),
          HistoryBefore()};
}

Parameters OfSeries() {
  return {SeriesPoints(), ChoiceParameter("only", "without power and intensity", {"losses"})};
}

Parameters OfSweep() {
  std::vector<std::string> names;
  using report::RankBy;
  for (const RankBy by : {RankBy::kLoss, RankBy::kEnergy, RankBy::kEmissions})
    names.emplace_back(report::Name(by));
  return {ChoiceParameter("rank_by", "the figure that ranks the experiments", std::move(names))};
}

Parameters OfDrain() {
  return {TimeOrDurationParameter("until",
                                  "a time, or a duration from now; left out: until it is ended"),
          Why()};
}

Parameters OfEvents() {
  return {ChoiceParameter("view", "the parts that are sent", {"status", "rows", "whole"})};
}

Parameters OfMetrics() {
  return {ChoiceParameter("names", "the names of the metrics", {"ebb", "compute-gardener"})};
}

Parameters OfForecast() {
  return {Location(), TimeParameter("dataStartAt", "the begin of the first value"),
          TimeParameter("dataEndAt", "the end of the last value"), WindowMinutes()};
}

Parameters OfIntensity() {
  return {Location(), TimeParameter("time", "the first value; left out: now"),
          TimeParameter("toTime", "the last value; left out: the first one")};
}

}  // namespace

RouteList Api::JobRoutes() {
  return {
      With({"GET", "/api/v1/jobs", "The queue: ?stage=waiting,running&name=&user=&limit=&from=",
            &Api::Jobs, &SchemaOf<Queue>},
           OfQueue()),
      {"POST", "/api/v1/jobs", "Submit one job, or a list of jobs", &Api::Submit,
       &SchemaOf<TakenOneOrMore>, "NewJobs"},
      With({"GET", "/api/v1/history",
            "Jobs that have ended, the newest first: "
            "?stage=failed&name=&user=&since=&until=&limit=1000"
            "&before=",
            &Api::History, &SchemaOf<web::History>},
           OfHistory()),
      {"GET", "/api/v1/jobs/{id}", "One job, with its reason and figures", &Api::Job,
       &SchemaOf<JobAnswer>},
      With({"GET", "/api/v1/jobs/{id}/log",
            "What it printed: ?attempt=&offset=, or the last ?tail= bytes", &Api::Log},
           {LogAttempt(), LogOffset(), LogTail()}),
      With({"GET", "/api/v1/jobs/{id}/series",
            "Its power, intensity and loss over time: ?points=300, ?only=losses", &Api::Series},
           OfSeries()),
      {"POST", "/api/v1/jobs/{id}/cancel", "End it for good", &Api::Cancel, kDone},
      {"POST", "/api/v1/jobs/{id}/budget",
       "What all its attempts together may use, from its next attempt on; resume lets it go",
       &Api::SetBudget, kDone, "Budget"},
      With({"POST", "/api/v1/jobs/{id}/edit",
            "Change a job that waits or is paused; ?dry_run=1: only check whether it can be",
            &Api::EditJob, &SchemaOf<ChangedJob>, "JobChange"},
           {DryRun()}),
      With(
          {"POST", "/api/v1/jobs/{id}/restart",
           "Submit a job that has ended again, as it was; ?dry_run=1: only check whether it can be",
           &Api::RestartJob, &SchemaOf<TakenJob>, "Restart"},
          {DryRun()}),
      {"POST", "/api/v1/jobs/{id}/pause", "Hold it until it is resumed", &Api::Pause, kDone},
      {"POST", "/api/v1/jobs/{id}/resume", "Let the plan decide again", &Api::Resume, kDone},
      {"POST", "/api/v1/jobs/{id}/now", "Run it now, whatever the grid", &Api::Now, kDone},
  };
}

RouteList Api::SweepRoutes() {
  return {
      With({"GET", "/api/v1/sweeps", "Sweeps, the newest first: ?name=&limit=", &Api::Sweeps,
            &SchemaOf<SweepLines>},
           {NameOf("sweeps"), SweepsLimit()}),
      {"POST", "/api/v1/sweeps", "Submit a sweep: its experiments are jobs", &Api::SubmitSweep,
       &SchemaOf<TakenSweep>, "NewSweep"},
      With({"GET", "/api/v1/sweeps/{id}",
            "Its experiments, ranked by loss: ?rank_by=energy or emissions, per unit of work",
            &Api::Sweep, &SchemaOf<report::SweepReport>},
           OfSweep()),
      {"POST", "/api/v1/sweeps/{id}/cancel", "End all of its experiments that have not ended",
       &Api::CancelSweep, &SchemaOf<SweepDone>},
      {"POST", "/api/v1/sweeps/{id}/budget",
       "What all experiments together may use from now on; what is held for less goes on",
       &Api::SetSweepBudget, &SchemaOf<SweepChanged>, "SweepBudget"},
  };
}

RouteList Api::RecurringAndDeviceRoutes() {
  return {
      {"GET", "/api/v1/recurring", "Recurring jobs, and when they are due", &Api::Recurring},
      With({"POST", "/api/v1/recurring/remove", "No more instances; those that live go on",
            &Api::RemoveRecurring, kDone},
           OfRecurring()),
      With({"POST", "/api/v1/recurring/pause", "No instances until it is resumed",
            &Api::PauseRecurring, kDone},
           OfRecurring()),
      With({"POST", "/api/v1/recurring/resume", "Due again; what was missed meanwhile is left out",
            &Api::ResumeRecurring, kDone},
           OfRecurring()),
      With({"POST", "/api/v1/devices/set-aside",
            "Give a GPU to no other job; the one on it goes on", &Api::SetDeviceAside, kDeviceDone},
           OfDeviceAside()),
      With({"POST", "/api/v1/devices/put-back", "Give it to jobs again", &Api::PutDeviceBack,
            kDeviceDone},
           OfDevice()),
      With({"POST", "/api/v1/devices/forget", "Do not expect one back that is gone",
            &Api::ForgetDevice, kDeviceDone},
           OfDevice()),
  };
}

RouteList Api::GridAndServiceRoutes() {
  return {
      {"GET", "/api/v1/status", "What runs, what was saved, what happened", &Api::Status,
       &SchemaOf<StatusAnswer>},
      {"GET", "/api/v1/drain", "Whether the service drains, and what that means for its jobs",
       &Api::Drain, &SchemaOf<DrainAnswer>},
      With({"POST", "/api/v1/drain",
            "What runs ends, and nothing starts: ?until=, a time or a duration, ?why=",
            &Api::BeginDrain, &SchemaOf<DrainAnswer>},
           OfDrain()),
      {"POST", "/api/v1/drain/end", "Jobs start again", &Api::EndDrain, &SchemaOf<DrainAnswer>},
      {"GET", "/api/v1/grid", "Intensity: what is known and what is expected", &Api::Grid},
      {"GET", "/api/v1/sites",
       "Each site: its grid now and ahead, free devices, and what runs there", &Api::Sites,
       &SchemaOf<SitesAnswer>},
      {"GET", "/api/v1/tiers", "The tiers that jobs can be submitted in", &Api::Tiers},
      With({"GET", "/api/v1/events",
            "The status as it changes, with ?view=whole or rows jobs and grid, too (server-sent "
            "events)",
            &Api::Events},
           OfEvents()),
      {"GET", "/api/v1/openapi.json", "This API, described", &Api::OpenApi},
      With({"GET", "/emissions/forecasts/current", "The forecast, as the Carbon Aware SDK gives it",
            &Api::Forecast},
           OfForecast()),
      With({"GET", "/emissions/bylocation", "Known intensity, as the Carbon Aware SDK gives it",
            &Api::Emissions},
           OfIntensity()),
      With({"GET", "/metrics", "For Prometheus: ?names=ebb|compute-gardener", &Api::Metrics},
           OfMetrics()),
      With({"GET", "/api/v1/machine", "What the machine used in the last ?days=7, and whose it was",
            &Api::MachineEnergy},
           {MachineDays()}),
      {"GET", "/api/v1/forecast-record", "How good the forecasts of two weeks were, by horizon",
       &Api::ForecastRecord},
      {"GET", "/saved.html", "The page as one file, with what it shows now in it", &Api::Saved},
      {"GET", "/livez", "Whether the service lives, part by part", &Api::Alive},
      {"GET", "/readyz", "Whether it can take, start and store jobs", &Api::Ready},
  };
}

const RouteList& Api::Routes() {
  static const RouteList routes = [] {
    RouteList all = JobRoutes();
    for (const auto& more : {SweepRoutes(), RecurringAndDeviceRoutes(), GridAndServiceRoutes()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return routes;
}

}  // namespace ebb::web
