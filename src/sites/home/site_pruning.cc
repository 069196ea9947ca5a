#include "sites/home/site_pruning.h"

#include "local/files/attempt_files.h"
#include "platform/file_lock.h"
#include "platform/path_facts.h"

namespace ebb::sites {

bool MayGo(const JobsAnswer::Folder& folder, const std::filesystem::path& jobs) {
  const auto here = jobs / std::to_string(folder.job.job);
  if (!platform::Exists(here)) return folder.fetched >= folder.last_attempt;
  const local::AttemptPaths last{here, local::LastAttempt(here)};
  const auto plan = local::ReadPlan(last.plan());
  // Another job has its number now, because a backup replaced the store.
  if (!plan || plan->identity != folder.job.identity) return false;
  if (platform::FileLock::IsHeld(last.lock()) || !platform::Exists(last.end())) return false;
  if (local::ReadAsked(last) == local::EndRequest::kCancel) return true;
  const auto end = local::ReadEnd(last, plan->end_key);
  return end && *end && (*end)->started && (*end)->status.code == 0;
}

Result<int> PruneSite(SiteConnection& connection, const std::string& service,
                      const std::filesystem::path& jobs) {
  EBB_ASSIGN_OR_RETURN(const JobsAnswer answer, connection.Ask<JobsAnswer>(Jobs{service}));
  int removed = 0;
  for (const JobsAnswer::Folder& folder : answer.folders) {
    if (folder.job.service != service || !MayGo(folder, jobs)) continue;
    // The site refuses while something runs there.
    if (connection.Ask<Done>(Forget{folder.job})) ++removed;
    if (connection.is_broken()) break;
  }
  return removed;
}

}  // namespace ebb::sites
