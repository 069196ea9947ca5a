// ebb audit RUN|JOB|STORE...: computes every figure and decision again, and checks that no byte was
// changed.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include "app/jobs/check_options.h"
#include "app/sweep/sweep_paths.h"
#include "audit/audit_run.h"
#include "audit/audit_store.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/error_text.h"
#include "cli/service_flags.h"
#include "platform/terminal.h"
#include "report/json_parts.h"
#include "report/run/run_directory.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb audit runs/baseline-20261120T203312Z-3f2a
  ebb audit runs --format json                  all runs in a folder; of a sweep its decisions, too
  ebb audit --print-head runs > heads.txt       to be signed, or kept elsewhere
  ebb audit 7                                   job 7 of the service on this machine
  ebb audit ~/.local/state/ebb/ebb.db           all of its jobs and decisions; --job 7: that one

Of a run directory every figure of its summaries is computed again from its ledger and the newest
version of the signal, by arithmetic of its own; every decision of its gate is made again from what
it was made from; chains of digests and seals tell whether a byte was changed since. Exit code 0:
all agrees; 1: something differs, and is listed. What a chain proves and what it does not:
docs/METHOD.md, Audit.)";

struct AuditRequest {
  std::vector<std::string> paths;
  std::string format = "text";
  std::string job_text;
  std::optional<long long> job;
  bool print_head = false, require_seal = false;
};

using Outcome = Result<audit::Audit>;

enum class Kind { kRun, kStore };
struct Target {
  std::filesystem::path path;
  Kind kind = Kind::kRun;
  std::optional<long long> job{};  ///< the only job of a store to audit
};

// The targets at a path. A number is a job of the service on this machine; a file is a store; a
// folder stands for all runs in it, and for the decisions of the sweeps that they belong to.
Result<std::vector<Target>> TargetsAt(const std::filesystem::path& path,
                                      const AuditRequest& request) {
  std::error_code code;
  if (std::filesystem::is_regular_file(path, code))
    return std::vector<Target>{{path, Kind::kStore, request.job}};
  if (const auto job = ParseInteger(path.string()); job && *job > 0 && !exists(path, code)) {
    EBB_ASSIGN_OR_RETURN(const std::string store, app::StorePathOf(""));
    return std::vector<Target>{{store, Kind::kStore, *job}};
  }
  if (request.job)
    return Fail({ExitCode::kUsage, "--job is for the service's store", path.string(),
                 "name its file, as ebb store check does"});
  EBB_ASSIGN_OR_RETURN(const auto runs, report::FindRunDirectories(path));
  std::vector<Target> targets;
  std::filesystem::path sweep;
  for (const auto& run : runs) {
    // The runs of a sweep lie next to each other in SWEEP/runs, beside the sweep's store.
    const auto above = run.parent_path().parent_path();
    const app::SweepPaths paths{above};
    if (above != sweep && std::filesystem::exists(paths.store(), code))
      targets.push_back({app::SweepPaths{sweep = above}.store(), Kind::kStore});
    targets.push_back({run, Kind::kRun});
  }
  return targets;
}

Outcome AuditOfStore(const Target& target) {
  EBB_ASSIGN_OR_RETURN(store::Database database,
                       store::Database::Open(target.path, store::Database::Mode::kRead));
  EBB_ASSIGN_OR_RETURN(auto check, app::CheckOptionsFor(database, !target.job));
  return audit::AuditStore(database, {target.job, std::move(check)});
}

Outcome AuditOf(const Target& target, const AuditRequest& request) {
  switch (target.kind) {
    case Kind::kStore:
      return AuditOfStore(target);
    case Kind::kRun:
      break;
  }
  return audit::AuditRun(target.path, {request.require_seal});
}

// Shows "1,204 of 10,000 audited", on a terminal only.
class Progress {
 public:
  explicit Progress(std::size_t all) : all_(all), live_(all > 1 && platform::StderrIsTerminal()) {}
  void One() {
    const std::size_t done = ++done_;
    if (live_ && (done % 50 == 0 || done == all_))
      std::fprintf(stderr, "\r%zu of %zu audited", done, all_);
  }
  void End() const {
    if (live_) std::fputs("\r\x1b[K", stderr);
  }

 private:
  std::size_t all_;
  bool live_;
  std::atomic<std::size_t> done_{0};
};

// Audits the targets side by side. The outcomes are in the order of the targets.
std::vector<std::optional<Outcome>> AuditAll(const std::vector<Target>& targets,
                                             const AuditRequest& request) {
  std::vector<std::optional<Outcome>> outcomes(targets.size());
  Progress progress(targets.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < targets.size(); i = next++) {
      outcomes[i] = AuditOf(targets[i], request);
      progress.One();
    }
  };
  const auto count =
      std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), targets.size());
  std::vector<std::jthread> helpers;
  for (std::size_t i = 1; i < count; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  progress.End();
  return outcomes;
}

std::string Counted(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void PrintText(const audit::Audit& one, bool briefly) {
  if (briefly && one.agrees()) return;
  std::printf("%s  %s\n", one.agrees() ? "ok   " : "DIFFERS", Printable(one.subject).c_str());
  for (const audit::Check& check : one.checks) {
    if (!briefly || check.count > 0)
      std::printf("  %s %s\n", check.count == 0 ? "ok  " : "BAD ", Printable(check.what).c_str());
    for (const std::string& difference : check.differences)
      std::printf("       %s\n", Printable(difference).c_str());
    const auto more = check.count - static_cast<std::int64_t>(check.differences.size());
    if (more > 0) std::printf("       and %lld more\n", static_cast<long long>(more));
  }
  if (briefly) return;
  for (const std::string& note : one.notes) std::printf("  note %s\n", Printable(note).c_str());
  if (!one.not_computed.empty())
    std::printf("  note %s not recomputed (--format json names them)\n",
                Counted(one.not_computed.size(), "field").c_str());
}

Json ToJson(const audit::Audit& one) {
  Json checks = Json::array(), heads = Json::array();
  for (const audit::Check& check : one.checks)
    checks.push_back({{"what", check.what},
                      {"ok", check.count == 0},
                      {"differences", check.count},
                      {"named", check.differences}});
  for (const audit::Head& head : one.heads) heads.push_back({{"of", head.of}, {"link", head.link}});
  return {{"subject", one.subject}, {"ok", one.agrees()}, {"checks", checks},
          {"notes", one.notes},     {"heads", heads},     {"not_computed", one.not_computed}};
}

void PrintHeads(const audit::Audit& one) {
  for (const audit::Head& head : one.heads)
    std::printf("%s  %s  %s\n", head.link.c_str(), Printable(one.subject).c_str(),
                Printable(head.of).c_str());
}

Result<int> RunAudits(const AuditRequest& request) {
  int exit_code = 0;
  const auto say = [&](const Error& error) {
    std::fprintf(stderr, "ebb: %s\n", ErrorText(error).c_str());
    if (exit_code == 0) exit_code = static_cast<int>(error.code);
  };
  std::vector<Target> targets;
  for (const std::string& path : request.paths) {
    auto found = TargetsAt(path, request);
    if (found)
      targets.insert(targets.end(), found->begin(), found->end());
    else
      say(found.error());
  }
  const auto outcomes = AuditAll(targets, request);
  Json all = Json::array();
  std::size_t differing = 0;
  for (const auto& outcome : outcomes) {
    if (!*outcome) {
      say(outcome->error());
      continue;
    }
    const audit::Audit& one = **outcome;
    if (!one.agrees()) ++differing;
    if (request.print_head)
      PrintHeads(one);
    else if (request.format == "json")
      all.push_back(ToJson(one));
    else
      PrintText(one, outcomes.size() > 10);
  }
  if (request.format == "json" && !request.print_head) {
    const Json json{
        {"schema", "ebb.audit/1"}, {"ok", differing == 0 && exit_code == 0}, {"audits", all}};
    std::fputs(report::Document(json).c_str(), stdout);
  } else if (outcomes.size() > 1 && !request.print_head) {
    std::printf("%zu audited, %zu differ\n", outcomes.size(), differing);
  }
  return differing > 0 ? 1 : exit_code;
}

}  // namespace

void AddAuditCommand(Parser& parser) {
  Command& command = parser.Add(
      "audit", "recompute every figure of runs and jobs, and find what was changed", kExamples);
  auto request = std::make_shared<AuditRequest>();
  command.Positionals("RUN|JOB|STORE",
                      "run directories, folders of them, sweeps, numbers of jobs, or a store",
                      &request->paths);
  command.Flag({"format", "text|json", "output format"},
               [request](const std::string& text) { request->format = text; });
  command.Flag({"job", "N", "in a store: only this job"},
               [request](const std::string& text) { request->job_text = text; });
  command.Switch({"print-head", "", "print the last link of each chain, to keep elsewhere"},
                 [request] { request->print_head = true; });
  command.Switch({"require-seal", "", "count what was never sealed as a difference"},
                 [request] { request->require_seal = true; });
  command.Action([request]() -> Result<int> {
    if (!request->job_text.empty()) {
      EBB_ASSIGN_OR_RETURN(request->job, app::JobNumberOf(request->job_text));
    }
    return RunAudits(*request);
  });
}

}  // namespace ebb::cli
