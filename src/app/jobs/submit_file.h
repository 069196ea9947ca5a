#pragma once
// What `ebb submit FILE.yaml` gives to the queue service: one job, a list of them, or a sweep, with
// the lines of the file, so that whatever is wrong with a job can be said where it stands.
// docs/submit-file.md. Pure but for LoadSubmitFile, which reads one file.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/tier.h"
#include "core/tracking.h"
#include "sweep/sweep.h"

namespace ebb::app {

struct SubmitOptions {
  std::string working_directory;  ///< of jobs that name none, or a relative one; absolute
  /// Of the keys of the jobs, "PREFIX/NAME": what makes asking again safe, and what `after` of one
  /// job of a file means by the name of another.
  std::string key_prefix;
  core::Tracking tracking{};  ///< of jobs that name none; a sweep's name is its experiment
  bool no_check = false;      ///< of jobs that do not say
  /// Those of the service; absent: it could not be asked, and checks their names itself.
  std::optional<std::vector<core::Tier>> tiers{};
};

struct SubmitFile {
  struct Place {
    std::string name;
    int line = 0;
  };
  std::string body;                    ///< as the API takes it there (docs/api.md)
  std::string route = "/api/v1/jobs";  ///< for a list of jobs, or a sweep
  std::vector<Place> places;           ///< of the jobs, in order

  /// "FILE:12: job \"train\": WHAT".
  std::string Located(std::size_t job, const std::string& what) const;
  std::string source;
};

/// All mistakes of the file are reported together; there is nothing then.
Result<SubmitFile> ParseSubmitFile(const std::string& text, const std::string& name,
                                   const SubmitOptions& options);
Result<SubmitFile> LoadSubmitFile(const std::string& path, const SubmitOptions& options);

/// A sweep as the API takes it.
std::string SweepBody(const sweep::Sweep& sweep, const SubmitOptions& options);

}  // namespace ebb::app
