#pragma once
// One look at a service: what its jobs and devices do, from three answers of its API (docs/api.md,
// /status, /jobs and /grid). Everything that is not known is absent, and never 0. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "cli/top/clean_hours.h"
#include "report/described_json.h"

namespace ebb::cli {

struct TopJob {
  long long number = 0;
  std::string name, user, stage;
  std::string rule;     ///< why it is there, in one word
  std::string reason;   ///< the same as a sentence, with times in UTC
  std::string devices;  ///< "GPU 0,1", "CPU 0", "2" if it has none yet; "... at norway"
  std::optional<Power> power;
  std::optional<double> progress_percent;
  bool is_by_plan = false;  ///< the progress is run time, by the plan; the program reports none
  std::optional<double> percent_per_hour;  ///< by two samples (progress_rates.h)
  std::optional<Duration> elapsed;         ///< running time of all attempts
  std::optional<Time> expected_start, expected_end;
  std::optional<Emissions> emissions;
  Energy energy;
  std::optional<Emissions> emissions_per_hour;  ///< at the present power
  std::optional<double> cpu_percent;            ///< of all processors of its machine

  bool runs() const { return stage == "running" || stage == "starting" || stage == "pausing"; }
  /// A person holds it: `resume` lets it go.
  bool is_held() const { return rule == "held" && !waits_for_jobs; }
  bool waits_for_jobs = false;
  void Describe(report::DescribedJson& json) const;
};

struct TopDevice {
  std::string name;  ///< "GPU 0", "CPU"
  std::string model, state;
  std::vector<long long> jobs;  ///< that have it
  std::optional<Power> power;
  std::optional<double> utilisation_percent;  ///< of processors: by the jobs that have them
  std::string limit;  ///< "250W", "70%", "auto"; empty: none is set, or it is not known
  void Describe(report::DescribedJson& json) const;
};

struct TopSignal {
  std::string zone;
  std::optional<double> g_per_kwh;
  std::string status;  ///< "measured", "forecast", ...
  std::string lost;    ///< why the source cannot be reached; empty: it answers
  std::optional<CleanHours> hours;
  void Describe(report::DescribedJson& json) const;
};

struct TopSample {
  Time now{};  ///< on the clock of the service
  std::vector<TopSignal> signals;
  std::vector<TopJob> jobs;  ///< that have not ended, by number
  std::vector<TopDevice> devices;
  long long running = 0, waiting = 0, paused = 0;
  long long left_out = 0;                       ///< jobs that wait and are not in `jobs`
  std::optional<Power> power;                   ///< of all jobs that run, as far as it is known
  std::optional<Emissions> emissions_per_hour;  ///< likewise
  Energy energy;                                ///< of all jobs that the service ever ran
  std::optional<Emissions> emissions;           ///< likewise
  std::optional<Time> today_since;              ///< local midnight at the service
  Energy today_energy;                          ///< of all jobs since then
  std::optional<Emissions> today_emissions;     ///< likewise
  long long devices_busy = 0, devices_free = 0;
  std::vector<std::string> troubles;  ///< sentences, with times in UTC
  void Describe(report::DescribedJson& json) const;
};

/// The answers of the service. `grid` may be empty: then nothing is said of hours.
struct TopAnswers {
  std::string status, active, waiting, grid;
};
/// The paths to ask for `active` (jobs that run, or are paused) and `waiting`.
inline constexpr const char* kActiveJobsPath =
    "/api/v1/jobs?limit=1000&stage=starting,running,pausing,paused";
inline constexpr const char* kWaitingJobsPath = "/api/v1/jobs?limit=200&stage=waiting";

/// An Error if an answer is not what the API describes.
Result<TopSample> ReadTopSample(const TopAnswers& answers);

}  // namespace ebb::cli
