#pragma once
// A decision of the engine: the commands that it gives, and why each job is where it is.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/jobs/decision.h"
#include "core/jobs/job.h"
#include "engine/drain.h"

namespace ebb::engine {

/// Starts or resumes a job: its attempt n, on the devices of a pool. If the attempt is frozen, the
/// executor lets it go on. The command is idempotent.
struct StartJob {
  core::JobId job = 0;
  int attempt = 1;
  int pool = -1;
  int devices = 0;  ///< width of an elastic job (Options::changes_widths); 0: the job's own
  friend bool operator==(const StartJob&, const StartJob&) = default;
};

/// Asks the attempt to write a checkpoint and end. A job that freezes instead is stopped where it
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

/// Stages in the life of a job. kStarting and kPausing: the engine gave the command, but the
/// executor has not reported yet.
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
  int pool = -1;        ///< the pool where the job runs or is expected to run
  core::Reason reason;  ///< contains the expected start, except while it is unknown when a drain
                        ///< ends
  std::optional<Drain> drain{};  ///< set with rule kDraining
  bool misses_deadline = false;  ///< the drain makes the job miss its deadline
  friend bool operator==(const Explanation&, const Explanation&) = default;
};

/// "waiting: 312 g/kWh now, 141 g/kWh expected 11:00-13:00; must start by 2023-05-01 22:10"
std::string Sentence(const Explanation& explanation);

/// Ways to make a plan for a decision. They differ only if a whole plan takes long.
enum class Planning {
  kWhole,   ///< the policy makes a whole plan whenever something is new
  kBeside,  ///< new jobs find their places beside the standing plan
  kAsk,     ///< like kBeside, and the engine asks the policy for a whole plan, which is worked out
            ///< elsewhere
  kTake,    ///< the engine takes up the plan that it asked for; newer jobs find their places in it
  kFollow,  ///< the engine follows the standing plan; new jobs wait for a place
  kPlace,   ///< like kBeside, also for jobs that waited under kFollow
};
std::string_view Name(Planning planning);
std::optional<Planning> PlanningFromName(std::string_view name);

struct Decision {
  Time at{};
  std::vector<Command> commands;  ///< in the order in which to carry them out
  /// Explanations that changed since the engine last gave them, by job. If there are commands, the
  /// explanations of many jobs that only wait on come with the next decision, which is due at once.
  std::vector<Explanation> explanations;
  Time wake_at = Time::max();  ///< the next decision is due then at the latest
  Planning planning = Planning::kWhole;
  /// Explanations in which only numbers changed, while stage, rule and pool stay the same. Readers
  /// get them, but the journal does not record them: a long queue has thousands of them whenever a
  /// job ends, and a restart works them out again.
  std::vector<Explanation> restated{};
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace ebb::engine
