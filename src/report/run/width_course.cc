#include "report/run/width_course.h"

#include <map>

#include "base/text.h"
#include "core/jobs/widths.h"

namespace ebb::report {

std::vector<WidthStretch> WidthCourse(const core::RunRecord& run) {
  std::map<int, std::vector<core::LedgerRow>> rows;
  for (const core::LedgerRow& row : run.ledger) rows[row.attempt].push_back(row);
  std::vector<WidthStretch> course;
  for (const core::Attempt& attempt : run.attempts)
    if (attempt.devices > 0)
      course.push_back(
          {attempt.devices, attempt.wall, attempt.grid, core::Total(rows[attempt.number])});
  return course;
}

int WidthChanges(const std::vector<WidthStretch>& course) {
  int changes = 0;
  for (std::size_t i = 1; i < course.size(); ++i)
    if (course[i].devices != course[i - 1].devices) ++changes;
  return changes;
}

std::string WidthCourseText(const std::vector<WidthStretch>& course) {
  std::vector<int> series;
  std::map<int, Duration> times;
  for (const WidthStretch& stretch : course) {
    series.push_back(stretch.devices);
    times[stretch.devices] += stretch.wall.length();
  }
  const int changes = WidthChanges(course);
  std::string text = core::WidthsText(series);
  if (changes == 0) return text;
  std::vector<std::string> parts;
  for (const auto& [devices, time] : times)
    parts.push_back(FormatDuration(time) + " on " + std::to_string(devices));
  return text + " (" + Join(parts, ", ") + "); " + std::to_string(changes) +
         (changes == 1 ? " change, its cost is" : " changes, their cost is") + " in all figures";
}

}  // namespace ebb::report
