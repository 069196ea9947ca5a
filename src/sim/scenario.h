#pragma once
// A what-if experiment as plain values: jobs on devices, from which moments they are submitted,
// under which policies, and what was published about the same experiment. Times of jobs count from
// a start date, so that one list of jobs serves every start date. How a file becomes a Scenario:
// config/scenario_config.h; what is made of it: simulation.h, comparison.h.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/cluster.h"
#include "core/job.h"
#include "plan/make_policy.h"

namespace ebb::sim {

/// Where the forecast that decides comes from. The truth that accounts is the same for all.
enum class ForecastSource {
  kOwn,       ///< made from the history of the signal, and its weather while that does better
  kArchived,  ///< what had been published by then, as the trace holds it
  kPerfect,   ///< the truth itself: an upper bound, not attainable
  kNoise,     ///< the truth times a seeded error that grows and forgets as stated
  kWeather,   ///< from history and weather, whatever the record of the two says
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

/// Whether what free devices draw until the last job has ended counts in savings.
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

/// A figure that others published about the experiment, and which of ours stands beside it.
struct PublishedFigure {
  std::string name;                  ///< "emitted, g"
  std::optional<double> published;   ///< as its authors state it
  std::optional<double> recomputed;  ///< from their raw data, where there is any
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
  /// Models of cluster.pools whose idle draw nobody knows: it counts in no figure.
  std::vector<std::string> unknown_idle;
  std::optional<Published> published;
  /// What electricity costs at each site over all start dates; empty: nothing is known of it. The
  /// planner's price weight is in its options.
  plan::SitePrices prices;
};

/// The policy's options with the scenario's prices.
plan::PolicyOptions OptionsOf(const Scenario& scenario, const PolicyChoice& policy);

/// The jobs as submitted from one start date, with absolute times and the makespan limit applied.
std::vector<core::Job> JobsAt(const Scenario& scenario, Time start);

/// How far after a start date the truth must be known: until every job that starts at its latest
/// moment has ended. Jobs without a deadline count with `default_max_delay`.
Duration LatestEnd(const Scenario& scenario, Duration default_max_delay);

/// The horizon of forecasts: as given, or what reaches to the end of the last job that may wait.
Duration HorizonOf(const Scenario& scenario, Duration default_max_delay);

}  // namespace ebb::sim
