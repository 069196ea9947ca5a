#pragma once
// The supervisor of one attempt: a small process of its own that starts the program, measures it
// and writes down what it used and how it ended (attempt_files.h). It depends on no other process:
// when the service is killed, the program runs on, measured, and the next service finds the
// results. When the supervisor itself is killed, the kernel asks the program to end (SIGTERM), so
// that nothing runs on unmeasured.
//
// Signals: SIGTERM and SIGHUP ask the program to end, and kill it when the grace period is over;
// SIGINT kills it at once. SIGUSR1 stops the program where it is (SIGSTOP), SIGUSR2 lets it go on.
// The service writes why before it sends one (attempt-N.asked); an end without that came from
// outside, and the attempt's end says so.
//
// Processes that the program leaves running are ended too, even if they left its process group and
// their parent: the supervisor adopts orphans among its descendants.

#include <functional>
#include <memory>
#include <vector>

#include "local/files/attempt_files.h"
#include "local/power/cap_window.h"
#include "local/process/measured_process.h"
#include "meter/sampler.h"
#include "platform/file_lock.h"

namespace ebb::local {

/// Follows an attempt where it is measured. All calls come on the supervisor's thread.
class AttemptFollower : public AttemptObserver {
 public:
  /// Called when the program has ended and its end is written. Returns remarks on it.
  virtual std::vector<std::string> OnEnd(const core::Attempt& attempt) = 0;
  /// Called when the program could not be started.
  virtual void OnFailure() = 0;
};

struct SupervisorOptions {
  std::string end_secret;  ///< see TakeEndSecret
  meter::SamplerOptions sampler;
  std::vector<std::unique_ptr<meter::Meter>> meters;
  std::string nvml_library = "libnvidia-ml.so.1";  ///< for power caps
  /// The program's reports of progress, see PowerTerms.
  std::function<std::vector<ProgressMark>()> progress = [] { return std::vector<ProgressMark>(); };
  Pue pue;
  /// With a feed, the program finds the intensity in grid.json (grid_file.h), the budget of the
  /// plan is watched, and `follower`, if any, is informed; its OnEnd comes last.
  runtime::SignalFeed* feed = nullptr;
  AttemptFollower* follower = nullptr;
};

/// Takes the key by which a supervisor signs the end of its attempt. Call it first in its process:
/// the service gives the key to the supervisor only (on its standard input), and from here on no
/// program of the user can read it in this process.
std::string TakeEndSecret();

/// Writes the end of an attempt that could not be begun.
Status SuperviseFailed(const AttemptPaths& paths, const AttemptPlan& plan, const Error& error,
                       const std::string& end_secret);

/// Runs the attempt to its end and writes attempt-N.end. `lock` is held until then. An Error: the
/// end could not be written.
Status Supervise(const AttemptPaths& paths, const AttemptPlan& plan, SupervisorOptions options,
                 const platform::FileLock& lock);

}  // namespace ebb::local
