// ebb compare RUN RUN...: the differences between runs, with intervals, and the factors behind
// them.
#include <chrono>
#include <cstdio>

#include "cli/command_line.h"
#include "cli/comparison.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb compare runs/baseline-* runs/optimized-*
  ebb compare runs/* --baseline baseline --output-dir reports/monday
  ebb compare runs/* --format json

Runs of one name form a group. Without a name of their own, runs of one command under one schedule do,
whatever its seed. Groups of one program are compared: that of --baseline, or the one with the most groups.
Differences carry a 95 % confidence interval from three seeds on; with fewer there is no verdict.)";

}  // namespace

void AddCompareCommand(Parser& parser) {
  Command& command = parser.Add("compare", "compare runs and separate the factors", kExamples);
  auto directories = std::make_shared<std::vector<std::string>>();
  auto request = std::make_shared<ComparisonRequest>();
  command.Positionals("RUN", "run directories", directories.get());
  command.Flag({"baseline", "GROUP", "group to compare with (default: the first)"},
               [request](const std::string& text) { request->baseline = text; });
  command.Switch({"unlike", "", "compare runs of unlike programs, too"},
                 [request] { request->unlike_programs = true; });
  command.Flag(
      {"output-dir", "DIR",
       "directory of comparison.{html,md,json} and comparison_report.json (default comparison)"},
      [request](const std::string& text) { request->output_dir = text; });
  command.Switch({"brief", "", "a few lines instead of the tables, which are on the page"},
                 [request] { request->brief = true; });
  command.List({"note", "TEXT", "a sentence for the reader of the result, e.g. what was left out"},
               &request->notes);
  command.Flag({"format", "text|json", "output format"},
               [request](const std::string& text) { request->json = text == "json"; });
  command.Action([=]() -> Result<int> {
    request->directories.assign(directories->begin(), directories->end());
    EBB_RETURN_IF_ERROR(CompareRuns(*request));
    return 0;
  });
}

}  // namespace ebb::cli
