#pragma once
// What the engine wants done, and why every job is where it is.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/decision.h"
#include "core/job.h"
#include "engine/drain.h"

namespace ebb::engine {

/// Start or resume: attempt n of a job on `devices` devices of a pool. Carrying it out twice is the
/// same as once. Of an attempt that is frozen: let it go on.
struct StartJob {
  core::JobId job = 0;
  int attempt = 1;
  int pool = -1;
  friend bool operator==(const StartJob&, const StartJob&) = default;
};

/// Ask the attempt to write a checkpoint and end; a job that is frozen instead: stop it where it
/// is.
struct PauseJob {
  core::JobId job = 0;
  int attempt = 1;
  friend bool operator==(const PauseJob&, const PauseJob&) = default;
};

struct CancelJob {
  core::JobId job = 0;
  int attempt = 1;
  friend bool operator==(const CancelJob&, const CancelJob&) = default;
};

using Command = std::variant<StartJob, PauseJob, CancelJob>;

/// Where a job stands in its life. Starting and pausing: the command is out, the report is not in.
enum class Stage {
  kWaiting,
  kStarting,
  kRunning,
  kPausing,
  kPaused,
  kSucceeded,
  kFailed,
  kCancelled
};
std::string_view Name(Stage stage);
std::optional<Stage> StageFromName(std::string_view name);

/// Where a job is, and why; Sentence() makes the text. Every job that has not ended has one.
struct Explanation {
  core::JobId job = 0;
  Stage stage = Stage::kWaiting;
  int pool = -1;        ///< where it runs or is expected to
  core::Reason reason;  ///< has an expected start; none where nobody knows when a drain ends
  std::optional<Drain> drain{};  ///< rule kDraining
  bool misses_deadline = false;  ///< for the drain
  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// "waiting: 312 g/kWh now, 141 g/kWh expected 11:00-13:00; must start by 2023-05-01 22:10"
std::string Sentence(const Explanation& explanation);

/// How a decision plans. Only where the whole plan takes long does it make a difference.
enum class Planning {
  kWhole,   ///< the policy plans as a whole wherever something is new
  kBeside,  ///< what is new finds its place beside the standing plan
  kAsk,     ///< that, and the policy is asked for a whole plan, to be worked out elsewhere
  kTake,    ///< the plan that was asked for is taken up; what is new since finds its place in it
  kFollow,  ///< the standing plan is followed; what is new waits for a place
  kPlace,   ///< as kBeside, for what has waited so, too
};
std::string_view Name(Planning planning);
std::optional<Planning> PlanningFromName(std::string_view name);

struct Decision {
  Time at{};
  std::vector<Command> commands;  ///< in the order in which to carry them out
  /// Those that changed since they were last told, by job. Where there is something to carry out,
  /// those of many jobs that only wait on come with the next decision, which is due at once.
  std::vector<Explanation> explanations;
  Time wake_at = Time::max();  ///< decide again then at the latest
  Planning planning = Planning::kWhole;
  /// Like explanations, of those that go on as before (stage, rule and pool) with other numbers.
  /// Told, and not recorded: a long queue has thousands of them whenever a job ends, and a restart
  /// works them out again.
  std::vector<Explanation> restated{};
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace ebb::engine
