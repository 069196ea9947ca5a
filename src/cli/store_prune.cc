#include "cli/store_prune.h"

#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "cli/local_times.h"
#include "report/json_parts.h"
#include "store/store_clock.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kSayEvery{2};

struct Pruned {
  std::int64_t jobs = 0, rows = 0;
  std::uintmax_t bytes_before = 0, bytes_after = 0;
};

Result<store::ServiceStore> OpenStopped(const std::string& path) {
  std::error_code code;
  if (!fs::exists(path, code))
    return Fail({ExitCode::kUnavailable, "there is no store", path, "name one with --store"});
  auto opened = store::ServiceStore::Open(path);
  if (!opened && opened.error().code == ExitCode::kTryLater)
    opened.error().next =
        "the service prunes by itself (ebb serve --keep DURATION); to do it at once, stop it first";
  return opened;
}

Result<Pruned> Prune(store::ServiceStore& store, const fs::path& path, Time before) {
  Pruned pruned;
  std::error_code ignored;
  pruned.bytes_before = fs::file_size(path, ignored);
  const auto remove_folder = [&](core::JobId job) {
    std::error_code code;
    const fs::path folder = path.parent_path() / "jobs" / std::to_string(job);
    fs::remove_all(folder, code);
    if (code)
      std::fprintf(stderr, "ebb store: %s cannot be removed: %s\n", folder.c_str(),
                   code.message().c_str());
  };
  Clock::time_point said = Clock::now();
  for (;;) {
    EBB_ASSIGN_OR_RETURN(const store::PruneStep step, store.Prune(before, remove_folder));
    if (step.job == 0) break;
    pruned.rows += step.rows;
    if (step.job_is_done) ++pruned.jobs;
    if (Clock::now() - said < kSayEvery) continue;
    said = Clock::now();
    std::fprintf(stderr, "ebb store: %lld jobs, %lld rows\n", static_cast<long long>(pruned.jobs),
                 static_cast<long long>(pruned.rows));
  }
  // The removed records stay removed, even if there is no room to write the file anew.
  if (const Status compact = store.Compact(); !compact)
    std::fprintf(stderr, "ebb store: the file stays as large: %s\n",
                 compact.error().Message().c_str());
  EBB_RETURN_IF_ERROR(store.EmptyWriteAheadLog());
  pruned.bytes_after = fs::file_size(path, ignored);
  return pruned;
}

double Megabytes(std::uintmax_t bytes) { return static_cast<double>(bytes) / 1e6; }

void Print(const StorePruneRequest& request, Time before, const Pruned& pruned) {
  if (request.json) {
    nlohmann::ordered_json json{{"schema", "ebb.store-prune/1"},
                                {"store", request.store},
                                {"ended_before", FormatTime(before)},
                                {"dry_run", request.dry_run},
                                {"jobs", pruned.jobs},
                                {"ledger_rows", pruned.rows}};
    if (!request.dry_run) {
      json["bytes_before"] = pruned.bytes_before;
      json["bytes_after"] = pruned.bytes_after;
    }
    std::fputs(report::Document(json).c_str(), stdout);
    return;
  }
  std::printf("%s %lld jobs that ended before %s: %lld ledger rows and their folders\n",
              request.dry_run ? "would prune" : "pruned", static_cast<long long>(pruned.jobs),
              LocalTimes::Now().Moment(before).c_str(), static_cast<long long>(pruned.rows));
  if (!request.dry_run)
    std::printf("%s: %.1f MB, before %.1f MB; sums and the rows of jobs stay\n",
                request.store.c_str(), Megabytes(pruned.bytes_after),
                Megabytes(pruned.bytes_before));
}

}  // namespace

Result<int> PruneStore(const StorePruneRequest& request) {
  EBB_ASSIGN_OR_RETURN(store::ServiceStore store, OpenStopped(request.store));
  const Time wall = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  EBB_ASSIGN_OR_RETURN(const Time now, store::TimeOfStore(store, wall));
  const Time before = now - request.older_than;
  Pruned pruned;
  if (request.dry_run) {
    EBB_ASSIGN_OR_RETURN(const auto estimate, store.EstimatePruning(before));
    pruned.jobs = estimate.jobs;
    pruned.rows = estimate.rows;
  } else {
    EBB_ASSIGN_OR_RETURN(pruned, Prune(store, request.store, before));
  }
  Print(request, before, pruned);
  return 0;
}

}  // namespace ebb::cli
