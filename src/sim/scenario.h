#pragma once
// A what-if experiment as plain values: jobs on devices, their start dates, the policies, and
// published figures about the same experiment. Times of jobs count from a start date, so that one
// list of jobs serves every start date. config/scenario/scenario_config.h makes a Scenario from a
// file; simulation.h and comparison.h use it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/devices/cluster.h"
#include "core/jobs/job.h"
#include "plan/make_policy.h"

namespace ebb::sim {

/// The source of the forecast that decides. The truth that accounts is the same for all sources.
enum class ForecastSource {
  kOwn,       ///< made from the signal's history, and its weather while that does better
  kArchived,  ///< published by then, as the trace has it
  kPerfect,   ///< the truth itself: an upper bound, not attainable
  kNoise,     ///< the truth times a seeded error that grows and correlates as ForecastNoise says
  kWeather,   ///< made from history and weather, even if history alone did better
};
/// "own", "archived", "perfect", "noise", "weather".
std::string_view Name(ForecastSource source);
std::optional<ForecastSource> ForecastSourceFromName(std::string_view name);

/// The error of a noisy forecast: a factor 1 + e, where e is normal with mean 0 and `sigma`, and
/// neighbouring hours of one forecast correlate by `hourly_correlation`.
struct ForecastNoise {
  double sigma = 0.1;
  double hourly_correlation = 0.9;
  std::uint64_t seed = 1;
};

/// Decides if the use of free devices until the last job has ended counts in savings.
enum class IdleDraw {
  kBeside,  ///< stated beside them
  kInside,  ///< counted in every figure of emissions that is compared
};
/// "beside", "inside".
std::string_view Name(IdleDraw idle);
std::optional<IdleDraw> IdleDrawFromName(std::string_view name);

struct PolicyChoice {
  std::string label;   ///< for tables; unique in a scenario
  std::string policy;  ///< a name of plan::PolicyNames()
  plan::PolicyOptions options;
};

/// A published figure about the experiment, and the name of our figure to compare with it.
struct PublishedFigure {
  std::string name;                  ///< "emitted, g"
  std::optional<double> published;   ///< as its authors state it
  std::optional<double> recomputed;  ///< recomputed from their raw data, if that exists
  std::string policy;                ///< label of the policy that corresponds
  std::string metric;                ///< name of one of published.h's metrics
  int decimals = 1;
};
struct Published {
  std::string source;
  std::vector<PublishedFigure> figures;
};

struct Bootstrap {
  std::uint64_t seed = 1;
  int samples = 2000;
};

struct Scenario {
  std::string name;
  std::string description;
  core::Cluster cluster;
  /// Every time is an offset from the start date (Time{} is the start date itself); ordered by
  /// submission, ids from 1.
  std::vector<core::Job> jobs;
  std::vector<Time> start_dates;  ///< in order, none twice
  std::vector<PolicyChoice> policies;
  ForecastSource forecast = ForecastSource::kOwn;
  ForecastNoise noise;
  std::optional<Duration> makespan_limit;  ///< every job ends within it after the start date
  std::optional<Duration> horizon;         ///< how far forecasts reach; absent: as far as deadlines
  Bootstrap bootstrap;
  IdleDraw idle_draw = IdleDraw::kBeside;
  /// Models in cluster.pools whose idle power is unknown: it counts in no figure.
  std::vector<std::string> unknown_idle;
  std::optional<Published> published;
  /// Electricity prices at each site over all start dates; empty if unknown. The weight of prices
  /// is in the planner's options.
  plan::SitePrices prices;
};

/// The policy's options with the scenario's prices.
plan::PolicyOptions OptionsOf(const Scenario& scenario, const PolicyChoice& policy);

/// The jobs as submitted from one start date, with absolute times and the makespan limit applied.
std::vector<core::Job> JobsAt(const Scenario& scenario, Time start);

/// The time after a start date until which the truth must be known: until every job that starts at
/// its latest moment has ended. Jobs without a deadline count with `default_max_delay`.
Duration LatestEnd(const Scenario& scenario, Duration default_max_delay);

/// The horizon of forecasts: the given one, or else the time until the end of the last job that may
/// wait.
Duration HorizonOf(const Scenario& scenario, Duration default_max_delay);

}  // namespace ebb::sim
