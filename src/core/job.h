#pragma once
// A job that may wait: what it needs, what it draws, and until when it must run. Times are absolute
// and count from submission, so they survive restarts. Values only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/cluster.h"

namespace ebb::core {

/// Given out in order of submission; every tie between jobs ends in it.
using JobId = std::int64_t;

/// How a job behaves on one device model where that differs from the pool's own speed and power
/// factor.
struct ModelOverride {
  std::string model;
  double speed = 1;
  double power_factor = 1;
  friend bool operator==(const ModelOverride&, const ModelOverride&) = default;
};

/// What a job does while its grid is unknown: no value, and nothing may stand in for it any more.
enum class OnOutage {
  kWait,  ///< until a value comes, or the latest start
  kRun,   ///< starts at once, whatever the intensity may be
  kStop,  ///< is given up before it has begun
};
/// "wait", "run", "stop".
std::string_view Name(OnOutage on_outage);
std::optional<OnOutage> OnOutageFromName(std::string_view name);
std::vector<std::string> OnOutageNames();

struct Job {
  JobId id = 0;
  std::string name;
  Time submitted{};
  int devices = 1;      ///< gang width: all of them together or not at all
  Duration duration{};  ///< estimated running time on devices of speed 1; > 0
  Power power;          ///< of one device at power factor 1, while running

  std::optional<Time> start_by;   ///< latest start
  std::optional<Time> finish_by;  ///< latest end; both may be given

  std::string tier;  ///< name of the tier it belongs to; empty: none
  int priority = 0;  ///< higher goes first where the policy orders by priority
  std::optional<Intensity> threshold;
  OnOutage on_outage = OnOutage::kWait;

  bool checkpointable = false;  ///< can write a checkpoint on request and go on from it
  Duration pause_cost{};        ///< extra running time of one pause and resume, at `power`
  Duration minimum_segment{};   ///< a piece between two pauses is at least this long
  /// It is stopped where it is instead (SIGSTOP) and goes on from there: for programs that cannot
  /// write a checkpoint. Its devices stay taken meanwhile, so the engine lets policies pause it
  /// only while no other job waits for them: it then sets `checkpointable` in its copy of the job,
  /// and does not look at what the submission says of it.
  bool freeze = false;

  std::vector<std::string> sites;   ///< allowed site names; empty: any
  std::vector<std::string> models;  ///< allowed device models; empty: any
  std::vector<ModelOverride> overrides;
  friend bool operator==(const Job&, const Job&) = default;
};

/// Whether the job may and can run on `pool` at all: site, model and width.
bool Fits(const Job& job, const Cluster& cluster, int pool);
/// The overridden or the pool's own values.
double SpeedOn(const Job& job, const DevicePool& pool);
/// Of all the job's devices together, while it runs on the pool.
Power PowerOn(const Job& job, const DevicePool& pool);
/// How long `work` (a duration at speed 1) takes on the pool; rounded up to a millisecond.
Duration TimeOn(const Job& job, const DevicePool& pool, Duration work);
/// Energy of all its devices over a running time on the pool.
Energy EnergyOn(const Job& job, const DevicePool& pool, Duration running);
/// The latest moment at which the job can begin on the pool and keep start_by and finish_by with
/// `work` left; nothing when it has neither.
std::optional<Time> LatestStartOn(const Job& job, const DevicePool& pool, Duration work);

}  // namespace ebb::core
