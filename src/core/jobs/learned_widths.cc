#include "core/jobs/learned_widths.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "core/jobs/widths.h"

namespace ebb::core {
namespace {

constexpr std::size_t kLeastPoints = 5, kMostParts = 10;
constexpr Duration kLeastSteady = std::chrono::seconds{10};
// The start-up: this share of the attempt, and at most this time.
constexpr double kStartUp = 0.2;
constexpr Duration kLongestStartUp = std::chrono::seconds{60};

// Attempts of one program at one width differ by about this share at least, however alike the few
// are that were seen.
constexpr double kLeastScatter = 0.05;
// Makes the median of absolute deviations a standard deviation of the normal distribution.
constexpr double kDeviation = 1.4826;
constexpr int kRounds = 200;
constexpr double kSettled = 1e-12;

// Speeds are rounded to this, and a wider one is faster by as much at least.
constexpr double kStep = 0.001;

double Median(std::vector<double> values) {
  const std::size_t half = values.size() / 2;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(half));
  const double upper = values[half];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::ranges::max_element(values.begin(),
                                            values.begin() + static_cast<std::ptrdiff_t>(half))) /
         2;
}

// The reports after the start-up and after the last time that the count fell: a program that goes
// back to a checkpoint begins anew.
std::vector<ProgressPoint> AfterStartUp(std::span<const ProgressPoint> points) {
  std::vector<ProgressPoint> steady;
  if (points.empty()) return steady;
  const Duration whole = points.back().at - points.front().at;
  const Time begin =
      points.front().at + std::min(DurationFromSeconds(kStartUp * Seconds(whole)), kLongestStartUp);
  for (const ProgressPoint& point : points) {
    if (point.at < begin) continue;
    if (!steady.empty() && point.count < steady.back().count) steady.clear();
    if (steady.empty() || (point.at > steady.back().at && point.count > steady.back().count))
      steady.push_back(point);
  }
  return steady;
}

// The logarithm of a rate.
struct Entry {
  const std::string* program;
  int devices;
  double log_rate;
};

// The entries of widths that are connected to `own` by programs that ran on several widths.
std::vector<Entry> ConnectedTo(int own, const std::vector<WidthRate>& rates) {
  std::set<int> widths{own};
  std::set<std::string> programs;
  for (std::size_t before = 0; before != widths.size() + programs.size();) {
    before = widths.size() + programs.size();
    for (const WidthRate& rate : rates)
      if (widths.contains(rate.devices)) programs.insert(rate.program);
    for (const WidthRate& rate : rates)
      if (programs.contains(rate.program)) widths.insert(rate.devices);
  }
  std::vector<Entry> entries;
  for (const WidthRate& rate : rates)
    if (rate.per_second > 0 && programs.contains(rate.program))
      entries.push_back({&rate.program, rate.devices, std::log(rate.per_second)});
  return entries;
}

// The median of what is left of each entry without the part that `other` gives, by `key`.
template <typename Key, typename Other>
auto MediansBy(const std::vector<Entry>& entries, Key key, Other other) {
  std::map<std::decay_t<decltype(key(entries.front()))>, std::vector<double>> left;
  for (const Entry& entry : entries) left[key(entry)].push_back(entry.log_rate - other(entry));
  std::map<std::decay_t<decltype(key(entries.front()))>, double> medians;
  for (auto& [at, values] : left) medians[at] = Median(std::move(values));
  return medians;
}

struct Fit {
  std::map<int, double> widths;  ///< logarithms of speeds, in any unit
  double scatter = kLeastScatter;
};

Fit Polish(const std::vector<Entry>& entries) {
  const auto program = [](const Entry& entry) { return *entry.program; };
  const auto devices = [](const Entry& entry) { return entry.devices; };
  Fit fit;
  for (const Entry& entry : entries) fit.widths[entry.devices] = 0;
  std::map<std::string, double> programs;
  for (int round = 0; round < kRounds; ++round) {
    programs = MediansBy(entries, program,
                         [&](const Entry& entry) { return fit.widths.at(entry.devices); });
    const auto next = MediansBy(entries, devices,
                                [&](const Entry& entry) { return programs.at(*entry.program); });
    double moved = 0;
    for (const auto& [width, value] : next)
      moved = std::max(moved, std::abs(value - fit.widths.at(width)));
    fit.widths = next;
    if (moved < kSettled) break;
  }
  std::vector<double> deviations;
  for (const Entry& entry : entries)
    deviations.push_back(
        std::abs(entry.log_rate - programs.at(*entry.program) - fit.widths.at(entry.devices)));
  fit.scatter = std::max(kLeastScatter, kDeviation * Median(std::move(deviations)));
  return fit;
}

// The part of a wider width that is at least that of a narrower one: neighbours in the wrong order
// get their mean, by attempts (pool adjacent violators).
void MakeMonotone(std::map<int, double>& parts, const std::map<int, int>& attempts) {
  struct Block {
    double sum = 0, weight = 0;
    std::vector<int> widths;
    double mean() const { return sum / weight; }
  };
  std::vector<Block> blocks;
  for (const auto& [width, part] : parts) {
    const double weight = attempts.at(width);
    blocks.push_back({part * weight, weight, {width}});
    while (blocks.size() > 1 && blocks.back().mean() < blocks[blocks.size() - 2].mean()) {
      Block last = std::move(blocks.back());
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().weight += last.weight;
      blocks.back().widths.insert(blocks.back().widths.end(), last.widths.begin(),
                                  last.widths.end());
    }
  }
  for (const Block& block : blocks)
    for (const int width : block.widths) parts[width] = block.mean();
}

// The speed that is believed after so many attempts.
double Believed(int width, int own, double log_speed, double error, int attempts) {
  if (attempts >= kEnoughAttempts) return std::exp(log_speed);
  const double linear = std::log(static_cast<double>(width) / own);
  const double cautious = log_speed - error;
  return std::exp(width > own ? std::min(cautious, linear) : std::max(cautious, linear));
}

double Given(const Job& job, const WidthSpeed& width) {
  return width.speed > 0 ? width.speed : AssumedSpeed(job.devices, width.devices);
}

const MeasuredWidth& Nearest(const std::vector<MeasuredWidth>& measured, int devices) {
  return *std::ranges::min_element(measured, {}, [&](const MeasuredWidth& one) {
    return std::abs(std::log(static_cast<double>(one.devices) / devices));
  });
}

// The speed at a width, in proportion to the nearest measured one.
double InProportion(const Job& job, const WidthSpeed& width,
                    const std::vector<MeasuredWidth>& measured) {
  const MeasuredWidth& near = Nearest(measured, width.devices);
  if (near.devices == width.devices) return near.speed;
  const auto given = std::ranges::find(job.speedup, near.devices, &WidthSpeed::devices);
  const bool is_given = width.speed > 0 && given != job.speedup.end();
  const double there = near.devices == job.devices ? 1
                       : is_given                  ? Given(job, *given)
                                                   : AssumedSpeed(job.devices, near.devices);
  const double speed = near.speed * Given(job, width) / there;
  const double linear = near.speed * width.devices / near.devices;
  return width.devices > near.devices ? std::min(speed, linear) : std::max(speed, linear);
}

// Rounds the speeds, and keeps each width faster than all narrower ones.
void PutInOrder(const Job& job, std::vector<WidthSpeed>& speeds) {
  for (WidthSpeed& width : speeds)
    width.speed = std::max(kStep, std::round(width.speed / kStep) * kStep);
  double least = 1;
  for (WidthSpeed& width : speeds)
    if (width.devices > job.devices) least = width.speed = std::max(width.speed, least + kStep);
  double most = 1;
  for (auto width = speeds.rbegin(); width != speeds.rend(); ++width)
    if (width->devices < job.devices) most = width->speed = std::min(width->speed, most - kStep);
}

}  // namespace

std::optional<double> SteadyRate(std::span<const ProgressPoint> points) {
  const std::vector<ProgressPoint> steady = AfterStartUp(points);
  if (steady.size() < kLeastPoints || steady.back().at - steady.front().at < kLeastSteady)
    return std::nullopt;
  const std::size_t spans = steady.size() - 1, parts = std::min(spans, kMostParts);
  std::vector<double> rates;
  for (std::size_t part = 0; part < parts; ++part) {
    const ProgressPoint& from = steady[part * spans / parts];
    const ProgressPoint& to = steady[(part + 1) * spans / parts];
    rates.push_back((to.count - from.count) / Seconds(to.at - from.at));
  }
  return Median(std::move(rates));
}

std::vector<MeasuredWidth> MeasuredSpeedup(const std::vector<WidthRate>& rates, int own) {
  const std::vector<Entry> entries = ConnectedTo(own, rates);
  std::map<int, int> attempts;
  for (const Entry& entry : entries) ++attempts[entry.devices];
  if (!attempts.contains(own)) return {};
  Fit fit = Polish(entries);
  MakeMonotone(fit.widths, attempts);
  std::vector<MeasuredWidth> measured;
  const double base = fit.widths.at(own);
  for (const auto& [width, part] : fit.widths) {
    const int count = attempts.at(width);
    const double error = fit.scatter * std::sqrt(1.0 / count + 1.0 / attempts.at(own));
    const double speed =
        width == own ? 1
                     : Believed(width, own, part - base, error, std::min(count, attempts.at(own)));
    measured.push_back({width, speed, count});
  }
  return measured;
}

std::vector<WidthSpeed> LearnedSpeedup(const Job& job, const std::vector<MeasuredWidth>& measured) {
  const auto is_measured = [&](const WidthSpeed& width) {
    return width.devices != job.devices &&
           std::ranges::find(measured, width.devices, &MeasuredWidth::devices) != measured.end();
  };
  if (std::ranges::none_of(job.speedup, is_measured)) return {};
  std::vector<WidthSpeed> learned;
  for (const WidthSpeed& width : job.speedup)
    learned.push_back(
        {width.devices, width.devices == job.devices ? 1 : InProportion(job, width, measured)});
  PutInOrder(job, learned);
  return learned;
}

double LargestChange(const Job& job, const std::vector<WidthSpeed>& before,
                     const std::vector<WidthSpeed>& after) {
  double largest = 0;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
    largest = std::max(largest, std::abs(after[i].speed / Given(job, before[i]) - 1));
  return largest;
}

std::string LearnedText(const Job& job, const std::vector<WidthSpeed>& learned,
                        const std::vector<MeasuredWidth>& measured) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < learned.size(); ++i) {
    const WidthSpeed& width = learned[i];
    if (width.devices == job.devices) continue;
    const auto found = std::ranges::find(measured, width.devices, &MeasuredWidth::devices);
    const std::string given = job.speedup[i].speed > 0
                                  ? "given " + FormatSignificant(job.speedup[i].speed, 3)
                                  : "not given";
    const std::string count = found == measured.end() ? "not measured"
                              : found->attempts == 1
                                  ? "1 attempt"
                                  : std::to_string(found->attempts) + " attempts";
    texts.push_back(FormatSignificant(width.speed, 3) + " times as fast on " +
                    DevicesText(width.devices) + " (" + given + "; " + count + ")");
  }
  return Join(texts, ", ");
}

}  // namespace ebb::core
