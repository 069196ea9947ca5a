#include "cli/gantt_text.h"

#include <algorithm>

#include "base/columns.h"
#include "cli/terminal_plot.h"
#include "report/draw/gantt_plot.h"
#include "report/simulation/queue_plan_page.h"

namespace ebb::cli {
namespace {

constexpr std::size_t kMostLanes = 24;

struct Axis {
  Interval window;
  std::size_t columns;
  // The column of a moment.
  std::size_t At(Time time) const {
    const double share = Seconds(time - window.begin) / Seconds(window.length());
    return std::min(columns - 1, static_cast<std::size_t>(share * static_cast<double>(columns)));
  }
};

void Mark(std::string& lane, const Axis& axis, const report::GanttBar& bar) {
  const std::size_t first = axis.At(bar.time.begin);
  const std::size_t last = std::max(first, axis.At(bar.time.end - Duration{1}));
  for (std::size_t column = first; column <= last; ++column) lane[column] = LetterOf(bar.job);
}

}  // namespace

char LetterOf(std::size_t job) {
  if (job < 26) return static_cast<char>('a' + job);
  return job < 52 ? static_cast<char>('A' + (job - 26)) : '#';
}

std::string GanttText(const sim::QueuePlan& plan, std::size_t columns, const LocalTimes& times) {
  const Interval window = plan.span();
  if (window.length() == Duration::zero()) return "";
  const report::DeviceLanes devices = report::LanesOf(plan.cluster);
  const Axis axis{window, columns};
  std::vector<std::string> lanes(devices.names.size(), std::string(columns, '.'));
  for (const report::GanttBar& bar :
       report::PlaceBars(plan.cluster, report::JobsOf(plan), report::SegmentsOf(plan)))
    Mark(lanes[static_cast<std::size_t>(bar.lane)], axis, bar);
  std::size_t width = std::string("g/kWh").size();
  for (const std::string& name : devices.names) width = std::max(width, ColumnsOf(name));
  width = std::min<std::size_t>(width, 24);
  std::string text = CutOrPad("g/kWh", width) + " " +
                     Sparkline(SampleView(plan.views.front(), window, columns)) + "\n";
  for (std::size_t lane = 0; lane < std::min(lanes.size(), kMostLanes); ++lane)
    text += CutOrPad(devices.names[lane], width) + " " + lanes[lane] + "\n";
  const std::string begin = times.Moment(window.begin);
  const std::string end = times.Moment(window.end);
  const std::size_t gap =
      columns > begin.size() + end.size() ? columns - begin.size() - end.size() : 1;
  return text + CutOrPad("", width) + " " + begin + std::string(gap, ' ') + end + "\n";
}

}  // namespace ebb::cli
