#include "service/intake/predecessors.h"

namespace ebb::service {

// If the job can never start because of several predecessors, the error names the last one.
Result<std::vector<core::JobId>> UnfinishedPredecessors(store::ServiceStore& store,
                                                        const Publisher& publisher,
                                                        const core::Submission& submission) {
  std::vector<core::JobId> pending;
  Status possible;
  for (const core::JobId after : submission.after) {
    const auto found = store.jobs().Find(after);
    const JobCard* card = publisher.Find(after);
    if (!card && (!found || !*found)) {
      possible = Fail({ExitCode::kUsage,
                       "depends on job " + std::to_string(after) + ", which is not known", "",
                       "ebb queue lists the jobs"});
      continue;
    }
    const engine::Stage stage = card ? card->explanation.stage : (*found)->stage;
    if (stage == engine::Stage::kSucceeded) continue;
    if (engine::HasEnded(stage))
      possible =
          Fail({ExitCode::kInfeasible,
                "depends on job " + std::to_string(after) + ", which has not succeeded", "", ""});
    pending.push_back(after);
  }
  EBB_RETURN_IF_ERROR(possible);
  return pending;
}

}  // namespace ebb::service
