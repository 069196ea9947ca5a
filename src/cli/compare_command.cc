// ebb compare RUN RUN...: what differs between runs, with intervals, and which factor did it.
#include <CLI/CLI.hpp>
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

Runs that differ only in their seed form a group. Differences carry a 95 % confidence interval from
three seeds on. What got worse is called worse.)";

}  // namespace

void AddCompareCommand(CLI::App& app, CommandLine& line) {
  auto* command = app.add_subcommand("compare", "compare runs and separate the factors");
  command->footer(kExamples);
  auto directories = std::make_shared<std::vector<std::string>>();
  auto options = std::make_shared<ComparisonRequest>();
  command->add_option("RUN", *directories, "run directories")->required();
  command->add_option("--baseline", options->baseline,
                      "group to compare with (default: the first)");
  command->add_option("--output-dir", options->output_dir,
                      "where comparison.{html,md,json} and comparison_report.json go");
  auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->callback([=, &line] {
    line.action = [=]() -> Result<int> {
      options->json = *format == "json";
      options->directories.assign(directories->begin(), directories->end());
      EBB_RETURN_IF_ERROR(CompareRuns(*options));
      return 0;
    };
  });
}

}  // namespace ebb::cli
