#pragma once
// A job that may wait: its needs, its power, and its deadlines. Times are absolute and count from
// submission, so they survive restarts. Values only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/devices/cluster.h"

namespace ebb::core {

/// Number of a job, given out in order of submission. Every tie between jobs is broken by it.
using JobId = std::int64_t;

/// A job's behaviour on one device model, if it differs from the pool's own speed and power factor.
struct ModelOverride {
  std::string model;
  double speed = 1;
  double power_factor = 1;
  friend bool operator==(const ModelOverride&, const ModelOverride&) = default;
};

/// A number of devices on which an elastic job can run, and its speed there. Its speed on
/// Job::devices is 1.
struct WidthSpeed {
  int devices = 1;
  double speed = 1;  ///< 0: not given (AssumedSpeed, core/jobs/widths.h)
  friend bool operator==(const WidthSpeed&, const WidthSpeed&) = default;
};

/// Action of a job while its grid is unknown: there is no value, and nothing may stand in for it
/// any more.
enum class OnOutage {
  kWait,  ///< waits until a value comes, or until the latest start
  kRun,   ///< starts at once, whatever the intensity may be
  kStop,  ///< is given up if it has not begun
};
/// Name of the action: "wait", "run", "stop".
std::string_view Name(OnOutage on_outage);
std::optional<OnOutage> OnOutageFromName(std::string_view name);
std::vector<std::string> OnOutageNames();

struct Job {
  JobId id = 0;
  std::string name;
  Time submitted{};
  int devices = 1;      ///< gang width: the job gets all of them together or none. An elastic
                        ///< job has other widths too; this is the one of policies that choose none
  Duration duration{};  ///< estimated running time on devices of speed 1; > 0
  Power power;          ///< power of one device at power factor 1, while running

  std::optional<Time> start_by;   ///< latest start
  std::optional<Time> finish_by;  ///< latest end; a job may have both deadlines

  std::string tier;  ///< name of the job's tier; empty: none
  int priority = 0;  ///< a job with a higher priority goes first if the policy orders by priority
  std::optional<Intensity> threshold;
  OnOutage on_outage = OnOutage::kWait;

  bool checkpointable = false;  ///< the job can write a checkpoint on request and go on from it
  Duration pause_cost{};        ///< extra running time of one pause and resume, at `power`
  Duration minimum_segment{};   ///< shortest piece of running between two pauses
  /// The other widths of an elastic job, in ascending order (core/jobs/widths.h); empty: it only
  /// runs on `devices`. `duration` is its running time on `devices`. A change of width is a pause
  /// and a resume, so the job must be checkpointable, and pays `pause_cost`.
  std::vector<WidthSpeed> speedup;
  /// Speeds at the same widths that replace those of `speedup`, because Ebb has measured some of
  /// them (core/jobs/learned_widths.h); empty: none.
  std::vector<WidthSpeed> learned_speedup;
  /// If true, a pause stops the job where it is (SIGSTOP), and the job goes on from there: for
  /// programs that cannot write a checkpoint. Its devices stay taken meanwhile, so the engine lets
  /// policies pause the job only while no other job waits for them. For this, the engine sets
  /// `checkpointable` in its copy of the job and ignores the submission's value.
  bool freeze = false;

  std::vector<std::string> sites;   ///< allowed site names; empty: any
  std::vector<std::string> models;  ///< allowed device models; empty: any
  std::vector<ModelOverride> overrides;

  std::vector<std::string> forbidden_sites;  ///< sites at which it may not run
  std::vector<std::string> data;             ///< labels of its data, which not every site may hold
  std::string home;             ///< site where its files lie; empty: it brings none along
  std::int64_t file_bytes = 0;  ///< data and image that another site has to get first
  std::int64_t checkpoint_bytes =
      0;  ///< size of a checkpoint: to go on at another site takes it along
  friend bool operator==(const Job&, const Job&) = default;
};

/// True if the job may and can run on `pool` at all: site, data, model and width.
bool Fits(const Job& job, const Cluster& cluster, int pool);
/// Speed of the job on the pool: its override for the model, or the pool's own value.
double SpeedOn(const Job& job, const DevicePool& pool);
/// Power of all the job's devices together, while it runs on the pool.
Power PowerOn(const Job& job, const DevicePool& pool);
/// Running time of `work` (a duration at speed 1) on the pool, rounded up to a millisecond.
Duration TimeOn(const Job& job, const DevicePool& pool, Duration work);
/// Energy of all the job's devices over a running time on the pool.
Energy EnergyOn(const Job& job, const DevicePool& pool, Duration running);
/// The latest moment at which the job can begin on the pool with `work` left and keep start_by and
/// finish_by; nullopt if it has neither.
std::optional<Time> LatestStartOn(const Job& job, const DevicePool& pool, Duration work);

}  // namespace ebb::core
