#include "app/sweep/sweep_stored.h"

#include "app/run/run_files.h"
#include "app/sweep/sweep_budgets.h"
#include "config/sweep/sweep_config.h"
#include "platform/file.h"
#include "sweep/local_jobs.h"

namespace ebb::app {
namespace {

Status StoreFlags(const SweepRunRequest& request, const RunOptions& options,
                  const SweepPaths& paths) {
  FlagValues flags = ToFlags(options);
  // Flags of the gate of single runs do not apply to a sweep.
  for (const char* name : {"threshold", "start-by", "duration", "at-deadline"}) flags.erase(name);
  flags["policy"] = request.policy;
  if (!request.slots.empty()) flags["slots"] = request.slots;
  if (!request.gpus.empty()) flags["gpus"] = request.gpus;
  for (const auto& [name, text] : request.budgets) flags[name] = text;
  return WriteFlags(paths.options(), flags);
}

// Refuses changed prices and a changed clock. Past decisions are repeated from the journal, and
// other prices would give other decisions; on another clock the sweep's times would have another
// meaning.
Status CheckUnchanged(const FlagValues& given, FlagValues stored, const SweepPaths& paths) {
  RunOptions options;
  EBB_RETURN_IF_ERROR(ApplyFlags(given, options));
  FlagValues as_stored = ToFlags(options);
  for (const std::string name :
       {"prices", "price-weight", "grid-start", "grid-speed", "skip-waits"}) {
    if (!given.contains(name) || as_stored[name] == stored[name]) continue;
    return Fail(
        {ExitCode::kUsage,
         "this sweep was begun " +
             (stored[name].empty() ? "without --" + name : "with --" + name + " " + stored[name]),
         paths.directory.string(),
         "leave --" + name + " out to continue it, or begin another with --run-dir"});
  }
  return {};
}

}  // namespace

Status CheckHasStore(const SweepPaths& paths) {
  std::error_code ignored;
  if (!std::filesystem::exists(paths.journal(), ignored)) return {};
  return Fail({ExitCode::kConfiguration,
               "holds a sweep that was begun by an earlier version of Ebb, which had no store",
               paths.directory.string(),
               "continue it with that version, or begin another with --run-dir DIR; ebb sweep "
               "report, compare and summary read it"});
}

Status CheckSameSweep(const SweepPaths& paths, const std::string& written_out) {
  EBB_ASSIGN_OR_RETURN(const std::string stored, platform::ReadFile(paths.sweep_file()));
  if (stored == written_out) return {};
  // An earlier version may have written the same sweep differently.
  const auto same = config::ParseSweepConfig(stored, paths.sweep_file().string());
  if (same && sweep::LocalJobs(same->sweep) == written_out) return {};
  return Fail({ExitCode::kConfiguration,
               "holds a sweep that is not this one (or the sweep file was changed since)",
               paths.directory.string(),
               "begin another with --run-dir DIR, or continue it as it was: ebb sweep run " +
                   paths.sweep_file().string() + " --run-dir " + paths.directory.string()});
}

Result<SweepRunRequest> WithStoredFlags(SweepRunRequest request, const SweepPaths& paths) {
  EBB_ASSIGN_OR_RETURN(FlagValues stored, ReadFlags(paths.options()));
  const std::string policy = stored["policy"], slots = stored["slots"], gpus = stored["gpus"];
  for (const char* name : {"policy", "slots", "gpus"}) stored.erase(name);
  if (!request.policy.empty() && request.policy != policy)
    return Fail({ExitCode::kUsage, "this sweep was begun with --policy " + policy,
                 paths.directory.string(),
                 "leave --policy out to continue it, or begin another with --run-dir"});
  request.policy = policy;
  for (const char* name : kBudgetFlags)
    if (auto limit = stored.extract(name)) request.budgets.insert(std::move(limit));
  if (request.slots.empty() && request.gpus.empty()) {
    request.slots = slots;
    request.gpus = gpus;
  }
  EBB_RETURN_IF_ERROR(CheckUnchanged(request.flags, stored, paths));
  for (const auto& [name, value] : request.flags) stored[name] = value;
  request.flags = std::move(stored);
  return request;
}

Status StoreBudgets(const SweepRunRequest& request, const SweepPaths& paths) {
  EBB_ASSIGN_OR_RETURN(FlagValues stored, ReadFlags(paths.options()));
  for (const auto& [name, text] : request.budgets) stored[name] = text;
  return WriteFlags(paths.options(), stored);
}

Status StoreSweep(const std::string& written_out, const SweepRunRequest& request,
                  const RunOptions& options, const SweepPaths& paths) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(paths.directory));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(paths.sweep_file(), written_out));
  return StoreFlags(request, options, paths);
}

}  // namespace ebb::app
