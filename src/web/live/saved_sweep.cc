#include "web/live/saved_sweep.h"

#include <algorithm>

#include "web/answers/job_series.h"
#include "web/live/saved_page.h"

namespace ebb::web {
namespace {

constexpr std::size_t kMostCurves = 24;  // the number that the page draws (web/sweeps.js)

// The page identifies a sweep and its experiments by number.
void NumberAll(report::SweepReport& report) {
  report.number = 1;
  core::JobId last = 0;
  for (const report::SweepRow& row : report.rows) last = std::max(last, row.job.value_or(0));
  for (report::SweepRow& row : report.rows)
    if (!row.job) row.job = ++last;
}

std::string LossesAnswer(const std::filesystem::path& progress_file) {
  JobSeriesInput input;
  input.points = kSavedCurvePoints;
  input.progress = LossesIn(progress_file);
  return JobSeriesToJson(input);
}

}  // namespace

void SaveSweep(const report::SweepReport& report,
               const std::function<std::string(core::JobId)>& losses_of,
               std::map<std::string, std::string>& answers) {
  answers["/api/v1/sweeps/" + std::to_string(*report.number)] = report::SweepJson(report);
  std::size_t curves = 0;
  for (const report::SweepRow& row : report.rows) {
    if (row.epochs == 0 || curves == kMostCurves) continue;
    ++curves;
    std::string losses = losses_of(*row.job);
    if (!losses.empty())
      answers["/api/v1/jobs/" + std::to_string(*row.job) +
              "/series?only=losses&points=" + std::to_string(kSavedCurvePoints)] =
          std::move(losses);
  }
}

std::string SavedSweepPage(
    report::SweepReport report,
    const std::function<std::filesystem::path(const report::SweepRow&)>& progress_of) {
  NumberAll(report);
  const auto losses_of = [&](core::JobId job) {
    const auto row = std::find_if(report.rows.begin(), report.rows.end(),
                                  [&](const report::SweepRow& one) { return one.job == job; });
    return LossesAnswer(progress_of(*row));
  };
  std::map<std::string, std::string> answers;
  SaveSweep(report, losses_of, answers);
  return SavedPage(answers);
}

}  // namespace ebb::web
