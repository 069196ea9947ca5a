#pragma once
// `ebb slurm run`: one task of a Slurm job, measured, and paused so that Slurm keeps its job. A
// pause (SIGUSR1) becomes SIGTERM for the program. Once it has ended with a checkpoint, the first
// task puts the job back into the queue, held, so that Slurm does not book it as ended.

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/run/run_session.h"
#include "slurm/client/slurm_commands.h"
#include "slurm/jobs/job_place.h"

namespace ebb::app {

struct WrappedAttempt {
  slurm::JobPlace place;
  std::vector<std::pair<std::string, std::string>> environment{};  ///< slurm::WidthVariables
  std::filesystem::path directory;  ///< of the job; empty: the default
  RunRequest run;  ///< without a command: the node is measured until a request to stop
  /// How long the program may take for its checkpoint, and other tasks for theirs.
  Duration grace{std::chrono::minutes{10}};
};

/// For people: what happens besides the run.
using SayLine = std::function<void(const std::string& line)>;

/// Returns the exit code of the task. Whichever task of the job ends last leaves the job's energy
/// and emissions in its comment.
Result<int> RunWrapped(WrappedAttempt attempt, const slurm::RunCommand& slurm,
                       platform::ProcessSignals& signals, const MakeDisplay& make_display,
                       const SayLine& say);

}  // namespace ebb::app
