#include "cli/top/progress_rates.h"

namespace ebb::cli {
namespace {

constexpr Duration kLongest{std::chrono::minutes{1}};

}  // namespace

void ProgressRates::Follow(TopSample& sample, Duration taken) {
  std::map<long long, std::deque<Point>> followed;
  for (TopJob& job : sample.jobs) {
    if (!job.runs() || job.is_by_plan || !job.progress_percent) continue;
    std::deque<Point>& points = followed[job.number] = std::move(points_[job.number]);
    // A program that lost work begins again: its earlier pace is no measure.
    if (!points.empty() && *job.progress_percent < points.back().percent) points.clear();
    points.push_back({taken, *job.progress_percent});
    while (points.size() > 2 && taken - points[0].taken > kLongest) points.pop_front();
    const double hours = Hours(taken - points.front().taken);
    if (hours > 0) job.percent_per_hour = (points.back().percent - points.front().percent) / hours;
  }
  points_ = std::move(followed);
}

}  // namespace ebb::cli
