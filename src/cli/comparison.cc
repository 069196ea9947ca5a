#include "cli/comparison.h"

#include <chrono>
#include <cstdio>

#include "cli/local_times.h"
#include "cli/say.h"
#include "platform/path_facts.h"
#include "platform/terminal.h"
#include "report/compare/compare.h"
#include "report/compare/compare_answer.h"
#include "report/compare/compare_page.h"
#include "report/compare/read_runs.h"

namespace ebb::cli {

namespace {

std::string Text(const report::Comparison& comparison, const ComparisonRequest& request) {
  if (request.json) return report::ComparisonJson(comparison);
  return ForStdout(LocalTimes::Now().InText(
      request.brief ? report::ComparisonAnswer(comparison)
                    : report::ComparisonText(comparison, platform::StdoutColumns())));
}

}  // namespace

Status CompareRuns(const ComparisonRequest& request) {
  EBB_ASSIGN_OR_RETURN(report::RunsToCompare read, report::ReadRunsToCompare(request.directories));
  for (const std::string& notice : read.notices) SayNote(notice);
  std::vector<std::string> notes = request.notes;
  notes.insert(notes.end(), read.skipped.begin(), read.skipped.end());
  EBB_ASSIGN_OR_RETURN(const report::Comparison comparison,
                       report::Compare(std::move(read.runs), {request.baseline, std::move(notes),
                                                              request.unlike_programs}));
  const Time now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  EBB_ASSIGN_OR_RETURN(const report::ComparisonFiles files,
                       report::WriteComparison(request.output_dir, comparison, now));
  std::fputs(Text(comparison, request).c_str(), stdout);
  std::fflush(stdout);
  std::fprintf(stderr, request.brief ? "  page   %s\n" : "\nPage: %s\n",
               platform::AbsolutePath(files.page).c_str());
  return {};
}

}  // namespace ebb::cli
