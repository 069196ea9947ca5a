// ebb store: copies, checks and restores the database of the service, and writes its jobs as run
// directories. All but restore and prune may run beside the service.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/jobs/check_options.h"
#include "app/jobs/job_export.h"
#include "app/options/flag_values.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/service_flags.h"
#include "cli/store_prune.h"
#include "cli/store_restore.h"
#include "report/json_parts.h"
#include "service/service.h"
#include "store/upkeep/store_check.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb store check                       can it be relied on? exit code 0: yes, 4: no
  ebb store backup /backup/ebb.db       a copy of one moment, while the service runs
  ebb store check --store /backup/ebb.db
  ebb store restore /backup/ebb.db --dry-run    what would be lost; the service is stopped before
  ebb store restore /backup/ebb.db
  ebb store prune --older-than 90d --dry-run    ledgers and folders of jobs that ended before
  ebb store export 3 4 --output-dir runs    jobs as run directories, for ebb summary and compare)";

struct StoreRequest {
  std::vector<std::string> words;
  std::string path;
  std::string output_directory = "runs";
  std::string format = "text";
  std::string older_than;
  bool replay = true, dry_run = false, end_programs = false;
};

Error Usage(std::string what) {
  return {
      ExitCode::kUsage, std::move(what), "",
      "ebb store check, backup FILE, restore FILE, prune, or export JOB...; ebb store --help shows "
      "more"};
}

Result<store::Database> OpenStore(const StoreRequest& request) {
  platform::Path path = request.path;
  if (path.empty()) {
    EBB_ASSIGN_OR_RETURN(path, app::StorePathOf(""));
  }
  return store::Database::Open(path, store::Database::Mode::kRead);
}

Result<int> Backup(const StoreRequest& request) {
  if (request.words.size() != 2) return Fail(Usage("backup needs one FILE to write"));
  EBB_ASSIGN_OR_RETURN(store::Database database, OpenStore(request));
  const platform::Path to = request.words[1];
  std::error_code code;
  if (std::filesystem::equivalent(database.path(), to, code))
    return Fail(Usage("the backup cannot be the store itself"));
  EBB_RETURN_IF_ERROR(database.BackupTo(to));
  const auto bytes = std::filesystem::file_size(to, code);
  if (request.format == "json") {
    const nlohmann::ordered_json json{{"schema", "ebb.store-backup/1"},
                                      {"store", database.path().string()},
                                      {"file", to.string()},
                                      {"bytes", bytes}};
    std::fputs(report::Document(json).c_str(), stdout);
  } else {
    std::printf("%s: %.1f MB, a copy of %s\n", to.c_str(), static_cast<double>(bytes) / 1e6,
                database.path().c_str());
  }
  return 0;
}

Result<int> Restore(const StoreRequest& request) {
  if (request.words.size() != 2) return Fail(Usage("restore needs one FILE to read"));
  EBB_ASSIGN_OR_RETURN(const std::string store, app::StorePathOf(request.path));
  return RestoreStore({request.words[1], store, request.replay, request.dry_run,
                       request.end_programs, request.format == "json"});
}

Result<int> Prune(const StoreRequest& request) {
  if (request.words.size() != 1) return Fail(Usage("prune takes no further words"));
  StorePruneRequest prune{"", service::kDefaultKeep, request.dry_run, request.format == "json"};
  EBB_ASSIGN_OR_RETURN(prune.store, app::StorePathOf(request.path));
  if (!request.older_than.empty()) {
    EBB_ASSIGN_OR_RETURN(prune.older_than, app::DurationOf("--older-than", request.older_than));
  }
  return PruneStore(prune);
}

Result<int> Export(const StoreRequest& request) {
  if (request.words.size() < 2) return Fail(Usage("export needs the numbers of jobs"));
  EBB_ASSIGN_OR_RETURN(store::Database database, OpenStore(request));
  std::vector<std::string> written;
  for (auto word = request.words.begin() + 1; word != request.words.end(); ++word) {
    EBB_ASSIGN_OR_RETURN(const long long job, app::JobNumberOf(*word));
    EBB_ASSIGN_OR_RETURN(const auto path, app::ExportJob(database, job, request.output_directory));
    written.push_back(path.string());
  }
  if (request.format == "json") {
    const nlohmann::ordered_json json{{"schema", "ebb.store-export/1"}, {"runs", written}};
    std::fputs(report::Document(json).c_str(), stdout);
  } else {
    for (const std::string& path : written) std::printf("%s\n", path.c_str());
  }
  return 0;
}

std::string Text(const std::vector<store::CheckResult>& results) {
  std::string text;
  for (const store::CheckResult& result : results) {
    text += (result.problems.empty() ? "ok   " : "BAD  ") + result.what + "\n";
    for (const std::string& problem : result.problems) text += "     " + problem + "\n";
  }
  return text;
}

std::string Json(const std::string& path, const std::vector<store::CheckResult>& results,
                 bool sound) {
  nlohmann::ordered_json json{{"schema", "ebb.store-check/1"}, {"store", path}, {"ok", sound}};
  json["checks"] = nlohmann::ordered_json::array();
  for (const store::CheckResult& result : results)
    json["checks"].push_back(
        {{"what", result.what}, {"ok", result.problems.empty()}, {"problems", result.problems}});
  return report::Document(json);
}

Result<int> Check(const StoreRequest& request) {
  if (request.words.size() != 1) return Fail(Usage("check takes no further words"));
  auto opened = OpenStore(request);
  if (!opened && opened.error().code == ExitCode::kConfiguration)
    opened.error().next = "restore a backup, or use the version of ebb that wrote it";
  EBB_ASSIGN_OR_RETURN(store::Database database, std::move(opened));
  EBB_ASSIGN_OR_RETURN(const auto options, app::CheckOptionsFor(database, request.replay));
  EBB_ASSIGN_OR_RETURN(const auto results, store::CheckStore(database, options));
  const bool sound = std::all_of(results.begin(), results.end(),
                                 [](const auto& result) { return result.problems.empty(); });
  const std::string path = database.path().string();
  std::fputs((request.format == "json" ? Json(path, results, sound) : Text(results)).c_str(),
             stdout);
  if (sound) return 0;
  return Fail({ExitCode::kUnavailable, "cannot be relied on", path,
               "stop the service and restore a backup (ebb store --help)"});
}

Result<int> Store(const StoreRequest& request) {
  const std::string& action = request.words.front();
  if (action == "backup") return Backup(request);
  if (action == "check") return Check(request);
  if (action == "prune") return Prune(request);
  if (action == "restore") return Restore(request);
  if (action == "export") return Export(request);
  const std::vector<std::string> actions{"backup", "check", "export", "prune", "restore"};
  return Fail(Usage("unknown action \"" + action + "\"" + SuggestionText(action, actions)));
}

}  // namespace

void AddStoreCommand(Parser& parser) {
  Command& command = parser.Add(
      "store", "back up, restore, check, prune and export the service's database", kExamples);
  auto request = std::make_shared<StoreRequest>();
  command.Positionals("ACTION", "check, backup FILE, restore FILE, prune, or export JOB...",
                      &request->words);
  command.Flag({"store", "PATH",
                "the database (default: $EBB_STORE, or ebb/ebb.db in the state "
                "directory)"},
               [request](const std::string& text) { request->path = text; });
  command.Flag({"output-dir", "DIR", "export: where the run directories go (default runs)"},
               [request](const std::string& text) { request->output_directory = text; });
  command.Flag({"format", "text|json", "output format"},
               [request](const std::string& text) { request->format = text; });
  command.Switch(
      {"no-replay", "", "check, restore: do not make every decision again (long queues)"},
      [request] { request->replay = false; });
  command.Flag({"older-than", "DURATION", "prune: jobs that ended before (default 365d)"},
               [request](const std::string& text) { request->older_than = text; });
  command.Switch({"dry-run", "", "restore, prune: show what would be removed, and change nothing"},
                 [request] { request->dry_run = true; });
  command.Switch({"end-programs", "", "restore: end what still runs of jobs not in the backup"},
                 [request] { request->end_programs = true; });
  command.Action([request] { return Store(*request); });
}

}  // namespace ebb::cli
