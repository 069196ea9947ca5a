#pragma once
// Reads the file of `ebb submit FILE.yaml`: one job, a list of jobs, or a sweep. It keeps the lines
// of the file, so that any problem with a job can be reported at its place. docs/submit-file.md.
// Pure but for LoadSubmitFile, which reads one file.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/jobs/tier.h"
#include "core/jobs/tracking.h"
#include "sweep/sweep.h"

namespace ebb::app {

struct SubmitOptions {
  std::string working_directory;  ///< absolute; for jobs with none or a relative one
  /// The prefix of the jobs' keys, "PREFIX/NAME". Keys make it safe to submit the file again, and
  /// `after` with the name of a job in the file refers to its key.
  std::string key_prefix;
  core::Tracking tracking{};  ///< for jobs without their own; a sweep's name is its experiment
  bool no_check = false;      ///< for jobs that do not set it
  /// The tiers of the service. Absent if the service could not be asked; then the service checks
  /// their names.
  std::optional<std::vector<core::Tier>> tiers{};
};

struct SubmitFile {
  struct Place {
    std::string name;
    int line = 0;
  };
  std::string body;                    ///< in the form that the API takes (docs/api.md)
  std::string route = "/api/v1/jobs";  ///< for a list of jobs, or a sweep
  std::vector<Place> places;           ///< places of the jobs, in order

  /// The message `what` with its place: "FILE:12: job \"train\": WHAT".
  std::string Located(std::size_t job, const std::string& what) const;
  std::string source;
};

/// All mistakes of the file are reported together as one Error.
Result<SubmitFile> ParseSubmitFile(const std::string& text, const std::string& name,
                                   const SubmitOptions& options);
Result<SubmitFile> LoadSubmitFile(const std::string& path, const SubmitOptions& options);

/// The body of a sweep for the API.
std::string SweepBody(const sweep::Sweep& sweep, const SubmitOptions& options);

}  // namespace ebb::app
