// ebb clean: removes run directories that nobody needs any more.

#include <cstdio>
#include <iostream>

#include "app/options/flag_values.h"
#include "app/options/run_options.h"
#include "app/run/clean_runs.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/error_text.h"
#include "cli/fitted_text.h"
#include "cli/local_times.h"
#include "cli/say.h"
#include "platform/system_clock.h"
#include "platform/terminal.h"
#include "report/json_parts.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(
Examples:
  ebb clean --dry-run                  what would go under runs/: runs that never started
  ebb clean --older-than 30d           and runs that ended before; asks first
  ebb clean --older-than 30d --yes     without asking, for scripts
  ebb clean /data/runs --older-than 1h

What stays: runs that go on or are paused, what is not a readable run directory, what a symbolic
link names, and the runs of sweeps and of the service, which belong to a store: ebb store prune.
Of a directory that was named with --run-dir, only the files that Ebb wrote are removed.)";

struct CleanFlags {
  std::vector<std::string> roots;
  std::string older_than, format = "text";
  bool dry_run = false, yes = false;
};

std::uintmax_t BytesOf(const std::vector<app::UnneededRun>& runs) {
  std::uintmax_t bytes = 0;
  for (const app::UnneededRun& run : runs) bytes += run.bytes;
  return bytes;
}

std::string SumOf(const std::vector<app::UnneededRun>& runs) {
  return std::to_string(runs.size()) + (runs.size() == 1 ? " run, " : " runs, ") +
         BytesText(static_cast<double>(BytesOf(runs)));
}

std::string TableOf(const std::vector<app::UnneededRun>& runs) {
  report::TextTable table{{"name", "outcome", "last", "frees", "where"}, {}, true, {0, 1}};
  for (const app::UnneededRun& run : runs)
    table.rows.push_back({run.name, run.outcome, MomentText(run.last),
                          BytesText(static_cast<double>(run.bytes)), run.directory.string()});
  return FittedText(std::move(table), 1, 3);
}

bool IsAgreed(const std::string& question) {
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  std::string answer;
  std::getline(std::cin, answer);
  const std::string word = Lowercase(Trim(answer));
  return word == "y" || word == "yes";
}

Json JsonOf(const std::vector<app::UnneededRun>& runs, const std::vector<std::string>& notes,
            bool removed) {
  Json list = Json::array();
  for (const app::UnneededRun& run : runs)
    list.push_back({{"name", run.name},
                    {"outcome", run.outcome},
                    {"last", FormatTime(run.last)},
                    {"bytes", run.bytes},
                    {"directory", run.directory.string()}});
  return {{"schema", "ebb.clean/1"},
          {"removed", removed},
          {"bytes", BytesOf(runs)},
          {"runs", list},
          {"notes", notes}};
}

void PrintJson(const Json& json) { std::fputs(report::Document(json).c_str(), stdout); }

Result<int> Clean(const CleanFlags& flags) {
  std::optional<Time> ended_before;
  if (!flags.older_than.empty()) {
    EBB_ASSIGN_OR_RETURN(const Duration age, app::DurationOf("--older-than", flags.older_than));
    ended_before = platform::WallNow() - age;
  }
  const bool json = flags.format == "json";
  const bool may_ask = platform::StdinIsTerminal() && platform::StderrIsTerminal() && !json;
  if (!flags.dry_run && !flags.yes && !may_ask)
    return Fail({ExitCode::kUsage, "nobody is there to be asked", "",
                 "give --yes to remove without asking, or --dry-run to look first"});
  std::vector<app::UnneededRun> runs, removed;
  std::vector<std::string> notes;
  std::error_code ignored;
  const std::vector<std::string> roots =
      flags.roots.empty() ? std::vector<std::string>{app::RunOptions().output_dir} : flags.roots;
  for (const std::string& root : roots) {
    if (!fs::exists(root, ignored)) {
      if (flags.roots.empty()) continue;
      return Fail({ExitCode::kUnavailable, "is not there", root, "name folders of runs"});
    }
    app::UnneededRuns found = app::FindUnneededRuns(root, ended_before);
    std::ranges::move(found.runs, std::back_inserter(runs));
    std::ranges::move(found.notes, std::back_inserter(notes));
  }
  if (!json) {
    for (const std::string& note : notes) SayNote(note);
    if (runs.empty()) std::printf("nothing to remove\n");
    if (!runs.empty()) std::fputs(TableOf(runs).c_str(), stdout);
  }
  if (flags.dry_run || runs.empty()) {
    if (json) PrintJson(JsonOf(runs, notes, false));
    if (!json && !runs.empty()) std::printf("would remove %s\n", SumOf(runs).c_str());
    return 0;
  }
  std::fflush(stdout);
  if (!flags.yes && !IsAgreed("Remove " + SumOf(runs) + "?")) {
    std::printf("nothing is removed\n");
    return 0;
  }
  int code = 0;
  for (const app::UnneededRun& run : runs) {
    const auto gone = app::RemoveUnneeded(run, ended_before);
    if (gone && *gone) removed.push_back(run);
    if (gone && !*gone) SayNote(run.directory.string() + ": has changed meanwhile; it stays");
    if (gone) continue;
    Say("ebb: " + ErrorText(gone.error()));
    code = static_cast<int>(gone.error().code);
  }
  if (json)
    PrintJson(JsonOf(removed, notes, true));
  else
    std::printf("removed %s\n", SumOf(removed).c_str());
  return code;
}

}  // namespace

void AddCleanCommand(Parser& parser) {
  Command& command =
      parser.Add("clean", "remove run directories that are no longer needed", kExamples);
  auto flags = std::make_shared<CleanFlags>();
  command.OptionalPositionals("DIR", "folders of runs (default: runs)", &flags->roots);
  command.Flag({"older-than", "DURATION", "also runs that ended longer ago than this: 30d"},
               [flags](const std::string& text) { flags->older_than = text; });
  command.Switch(
      {"dry-run", "", "show what would be removed and how much that frees, and remove nothing"},
      [flags] { flags->dry_run = true; });
  command.Switch({"yes", "", "do not ask"}, [flags] { flags->yes = true; });
  command.Flag({"format", "text|json", "output format", "Output"},
               [flags](const std::string& text) { flags->format = text; });
  command.Action([flags] { return Clean(*flags); });
}

}  // namespace ebb::cli
