// A look at a service as JSON: ebb top --format json.

#include "cli/top/top_sample.h"

namespace ebb::cli {

using report::DescribedJson;
using report::If;
using report::IfAny;

void TopJob::Describe(DescribedJson& json) const {
  json.Is("TopJob", "A job that has not ended.")("job", "its number", number);
  json("name", "its name", name);
  json("user", "whose it is", IfAny(user));
  json("stage", "where it is", stage);
  json("reason", "why; times in UTC", reason);
  json("devices", "which it has, or how many it wants", devices);
  json("power_w", "at present", power);
  json("progress_percent", "as its program reports it",
       is_by_plan ? std::nullopt : progress_percent);
  json("run_time_percent", "of the run time that the plan expects",
       is_by_plan ? progress_percent : std::nullopt);
  json("percent_per_hour", "how fast progress_percent grows", percent_per_hour);
  json("elapsed_s", "running time of all attempts", elapsed);
  json("expected_start", "or when it is to go on", expected_start);
  json("expected_end", "by the plan", expected_end);
  json("energy_kwh", "so far", energy);
  json("emissions_g", "so far", emissions);
  json("emissions_g_per_hour", "at its present power", emissions_per_hour);
  json("cpu_percent", "of all processors of its machine, in the latest reading", cpu_percent);
}

void TopDevice::Describe(DescribedJson& json) const {
  json.Is("TopDevice", "A GPU, or devices that have no names.")("device", "its name", name);
  json("model", "its model", IfAny(model));
  json("state", "whether jobs may have it", state);
  json("jobs", "the numbers of the jobs that have it", IfAny(jobs));
  json("power_w", "in the latest reading of its job", power);
  json("utilisation_percent",
       "in the latest reading of its job; of processors, by the jobs that have them",
       utilisation_percent);
  json("power_cap", "with which its job was started", IfAny(limit));
}

void TopSignal::Describe(DescribedJson& json) const {
  json.Is("TopSignal", "The grid at a site.")("zone", "its zone", IfAny(zone));
  json("g_per_kwh", "intensity now", g_per_kwh);
  json("status", "how it is known", IfAny(status));
  json("lost", "why its source cannot be reached", IfAny(lost));
  json("cleanness", "beside the next 24 hours",
       hours ? std::optional(std::string(Name(hours->now))) : std::nullopt);
  json("clean_from", "the next clean hours",
       hours ? std::optional(hours->next.begin) : std::nullopt);
  json("clean_until", "the next clean hours",
       hours ? std::optional(hours->next.end) : std::nullopt);
  json("clean_g_per_kwh", "their mean", hours ? std::optional(hours->g_per_kwh) : std::nullopt);
}

void TopSample::Describe(DescribedJson& json) const {
  json.Is("Top", "What a service does now. What is unknown is left out.");
  json("schema", "of this document", std::string("ebb.top/1"));
  json("now", "on the clock of the service", now);
  json("signals", "by site", signals);
  json("running", "how many jobs", running);
  json("waiting", "how many jobs", waiting);
  json("paused", "how many jobs", paused);
  json("power_w", "of all jobs that run", power);
  json("emissions_g_per_hour", "of all jobs that run", emissions_per_hour);
  json("energy_kwh", "of all jobs that the service ever ran", energy);
  json("emissions_g", "of the same jobs", emissions);
  json("today_since", "the last midnight by the local clock of the service", today_since);
  json("today_energy_kwh", "of all jobs since then",
       today_since ? std::optional(today_energy) : std::nullopt);
  json("today_emissions_g", "likewise", today_emissions);
  json("devices_busy", "how many", devices_busy);
  json("devices_free", "how many", devices_free);
  json("jobs", "that have not ended", jobs);
  json("left_out", "jobs that wait and are not listed", If(left_out > 0, left_out));
  json("devices", "by pool", devices);
  json("troubles", "why something does not go on", IfAny(troubles));
}

}  // namespace ebb::cli
