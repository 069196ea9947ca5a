#include "web/answers/job_series.h"

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/time.h"
#include "platform/shared_file.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestProgress = 32 << 20;  // bytes read from the end of the file

// Weighted mean, lowest and highest of the values in one part of a series.
struct Spread {
  double weight = 0, sum = 0;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value, double its_weight) {
    weight += its_weight;
    sum += value * its_weight;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return weight <= 0; }
  void PutInto(Json& point) const {
    for (const double value : {sum / weight, low, high}) point.push_back(value);
  }
};

// A value that was constant over an interval.
struct Stretch {
  Interval time;
  double value = 0;
};

Json Point(Interval time, const Spread& spread) {
  Json point = Json::array({Milliseconds(time.begin), Milliseconds(time.end)});
  spread.PutInto(point);
  return point;
}

// The stretches as they are. If there are more than `points`, they are joined into equal parts of
// the window, and each part gives the begin and end of its values.
Json Thinned(const std::vector<Stretch>& stretches, Interval window, std::size_t points) {
  Json json = Json::array();
  if (stretches.size() <= points) {
    for (const Stretch& stretch : stretches) {
      Spread one;
      one.Add(stretch.value, 1);
      json.push_back(Point(stretch.time, one));
    }
    return json;
  }
  const auto parts = static_cast<Duration::rep>(points);
  std::size_t first = 0;
  for (Duration::rep i = 0; i < parts; ++i) {
    const Interval part{window.begin + window.length() * i / parts,
                        window.begin + window.length() * (i + 1) / parts};
    while (first < stretches.size() && stretches[first].time.end <= part.begin) ++first;
    Spread spread;
    Interval covered{Time::max(), Time::min()};
    for (std::size_t at = first; at < stretches.size() && stretches[at].time.begin < part.end;
         ++at) {
      const Interval here = Overlap(stretches[at].time, part);
      if (here.length() == Duration::zero()) continue;
      spread.Add(stretches[at].value, Seconds(here.length()));
      covered = {std::min(covered.begin, here.begin), std::max(covered.end, here.end)};
    }
    if (!spread.empty()) json.push_back(Point(covered, spread));
  }
  return json;
}

// The power of all devices of the job together; the devices are read at the same moments.
std::vector<Stretch> PowersOf(const std::vector<core::LedgerRow>& rows) {
  std::map<std::pair<Time, Time>, std::pair<double, Duration>> sums;
  for (const core::LedgerRow& row : rows) {
    auto& [joules, wall] = sums[{row.grid.begin, row.grid.end}];
    joules += row.energy.joules();
    wall = std::max(wall, row.wall.length());
  }
  std::vector<Stretch> powers;
  for (const auto& [time, sum] : sums)
    if (sum.second > Duration::zero())
      powers.push_back({{time.first, time.second}, sum.first / Seconds(sum.second)});
  return powers;
}

std::vector<Stretch> IntensitiesOf(const core::IntensitySeries& signal) {
  std::vector<Stretch> values;
  for (const core::Sample& sample : signal.samples())
    values.push_back({sample.interval, sample.intensity.g_per_kwh});
  return values;
}

// Turns real time into grid time. Programs report real time; if the grid clock is replayed, the
// ledger has both times.
class GridTimes {
 public:
  explicit GridTimes(std::vector<core::LedgerRow> rows) : rows_(std::move(rows)) {
    std::sort(rows_.begin(), rows_.end(),
              [](const auto& a, const auto& b) { return a.wall.begin < b.wall.begin; });
  }
  Time At(Time wall) const {
    const auto after =
        std::upper_bound(rows_.begin(), rows_.end(), wall,
                         [](Time t, const core::LedgerRow& row) { return t < row.wall.begin; });
    if (rows_.empty()) return wall;
    if (after == rows_.begin()) return rows_.front().grid.begin;
    const core::LedgerRow& row = *std::prev(after);
    const double length = Seconds(row.wall.length());
    const double share =
        length > 0 ? std::clamp(Seconds(wall - row.wall.begin) / length, 0.0, 1.0) : 1;
    return row.grid.begin + DurationFromSeconds(share * Seconds(row.grid.length()));
  }

 private:
  std::vector<core::LedgerRow> rows_;
};

// The losses as they are. If there are more than `points`, as many successive losses as necessary
// are joined.
Json ThinnedLosses(const std::vector<report::ProgressEvent>& events, const GridTimes& times,
                   std::optional<double> report::ProgressEvent::*loss, std::size_t points) {
  std::vector<const report::ProgressEvent*> with_loss;
  for (const report::ProgressEvent& event : events)
    if (event.*loss) with_loss.push_back(&event);
  const std::size_t together = (with_loss.size() + points - 1) / points;
  Json json = Json::array();
  for (std::size_t begin = 0; begin < with_loss.size(); begin += together) {
    const std::size_t end = std::min(begin + together, with_loss.size());
    const report::ProgressEvent& last = *with_loss[end - 1];
    Spread spread;
    for (std::size_t i = begin; i < end; ++i) spread.Add(*(with_loss[i]->*loss), 1);
    Json point = Json::array({Milliseconds(times.At(last.time)), nullptr});
    // The end of an epoch may tell its step, too.
    const bool by_epoch = loss != &report::ProgressEvent::loss && last.epoch;
    if (last.step && !by_epoch)
      point[1] = *last.step;
    else if (last.epoch)
      point[1] = *last.epoch;
    spread.PutInto(point);
    json.push_back(std::move(point));
  }
  return json;
}

}  // namespace

std::vector<report::ProgressEvent> LossesOf(std::string_view progress_text) {
  std::vector<report::ProgressEvent> events;
  for (const std::string_view line : Split(progress_text, '\n')) {
    auto event = report::ParseProgressLine(line);
    if (event && (event->loss || event->train_loss || event->test_loss))
      events.push_back(*std::move(event));
  }
  return events;
}

std::vector<report::ProgressEvent> LossesIn(const std::filesystem::path& progress_file) {
  const auto file = platform::SharedFile::Open(progress_file);
  if (!file) return {};
  const std::uint64_t length = std::min<std::uint64_t>(file->size(), kLongestProgress);
  return LossesOf(file->Read(file->size() - length, length));
}

std::string JobSeriesToJson(const JobSeriesInput& input) {
  using report::ProgressEvent;
  const GridTimes times(input.rows);
  const auto losses = [&](std::optional<double> ProgressEvent::*loss) {
    return ThinnedLosses(input.progress, times, loss, input.points);
  };
  return Json{{"window_ms", {Milliseconds(input.window.begin), Milliseconds(input.window.end)}},
              {"power", Thinned(PowersOf(input.rows), input.window, input.points)},
              {"intensity", Thinned(IntensitiesOf(input.signal), input.window, input.points)},
              {"loss", losses(&ProgressEvent::loss)},
              {"train_loss", losses(&ProgressEvent::train_loss)},
              {"test_loss", losses(&ProgressEvent::test_loss)}}
             .dump() +
         "\n";
}

}  // namespace ebb::web
