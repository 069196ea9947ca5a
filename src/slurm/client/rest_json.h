#pragma once
// Reads the answers of slurmrestd and writes its requests, in the versions of its API that Ebb
// knows: v0.0.37 and 38 (Slurm 22.05) and v0.0.40 to 44 (23.11 to 25.11). Newer versions write
// states as lists and numbers as {"set", "infinite", "number"}; the readers take each value in
// either form. Checked with the answers of 22.05 and 24.11. Pure.
//
// Readers return an Error for an answer that says what Slurm refuses: kUnavailable if slurmrestd
// does not reach the controller.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "slurm/client/slurm_client.h"

namespace ebb::slurm {

/// The version of the API that a slurmrestd serves.
struct RestApi {
  int version = 0;              ///< 38: v0.0.38
  bool has_accounting = false;  ///< the same version of /slurmdb, with exit codes
  /// Changes elements of arrays and components of heterogeneous jobs.
  bool takes_parts() const { return version <= 38; }
  /// "/slurm/v0.0.38/"
  std::string slurm() const { return "/slurm/v0.0." + std::to_string(version) + '/'; }
  std::string slurmdb() const { return "/slurmdb/v0.0." + std::to_string(version) + '/'; }
};

/// The newest version that both know, from the description of the API (/openapi/v3).
Result<RestApi> ReadRestApi(std::string_view description);

struct RestJobs {
  std::vector<SlurmJob> jobs;
  /// False: slurmrestd has cut the list of waiting elements of an array, as it does with long ones.
  bool is_complete = true;
};
Result<RestJobs> ReadRestJobs(std::string_view body);
Result<std::vector<SlurmNode>> ReadRestNodes(std::string_view body);
/// The last attempt of each job.
Result<std::vector<SlurmJob>> ReadRestAccounting(std::string_view body);
/// The answer to a change.
Status ReadRestDone(std::string_view body);

/// The body of a change of a job.
std::string RestUpdate(const JobUpdate& update, int version);

}  // namespace ebb::slurm
