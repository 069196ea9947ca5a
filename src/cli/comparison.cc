#include "cli/comparison.h"

#include <chrono>
#include <cstdio>

#include "platform/terminal.h"
#include "report/compare/compare.h"
#include "report/compare/compare_page.h"
#include "report/run/run_directory.h"

namespace ebb::cli {

Status CompareRuns(const ComparisonRequest& request) {
  std::vector<core::RunRecord> runs;
  for (const auto& directory : request.directories) {
    std::vector<std::string> notices;
    EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory, &notices));
    for (const std::string& notice : notices)
      std::fprintf(stderr, "note: %s: %s\n", directory.c_str(), notice.c_str());
    runs.push_back(std::move(run));
  }
  EBB_ASSIGN_OR_RETURN(const report::Comparison comparison,
                       report::Compare(std::move(runs), {request.baseline, request.notes}));
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  EBB_ASSIGN_OR_RETURN(const report::ComparisonFiles files,
                       report::WriteComparison(request.output_dir, comparison, now));
  const std::string text = request.json
                               ? report::ComparisonJson(comparison)
                               : report::ComparisonText(comparison, platform::StdoutColumns());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, "\nPage: %s\n", std::filesystem::absolute(files.page).c_str());
  return {};
}

}  // namespace ebb::cli
