#include "local/power/cap_window.h"

#include <algorithm>
#include <cmath>

namespace ebb::local {
namespace {

// A gap between reports of so many times the mean one is a pause.
constexpr int kLongGap = 5;
constexpr Duration kShortestPause{500};
constexpr std::size_t kMarksBeforePause = 6;
constexpr int kPauses = 3;
constexpr std::size_t kGroups = 10;
// A standard deviation of so few groups is often too small, and windows end when it is small.
constexpr double kCaution = 1.25;

// Standard error of the rate of progress between the first and the last mark, as a share of it.
double RateError(const std::vector<ProgressMark>& marks, double steps_per_s) {
  const std::size_t parts = marks.size() - 1;
  const std::size_t groups = parts >= 2 * kGroups ? kGroups : parts;
  if (groups < 2) return 1;
  double squares = 0;
  for (std::size_t group = 0; group < groups; ++group) {
    const ProgressMark& from = marks[group * parts / groups];
    const ProgressMark& to = marks[(group + 1) * parts / groups];
    const double rest = to.steps - from.steps - steps_per_s * Seconds(to.at - from.at);
    squares += rest * rest;
  }
  const auto n = static_cast<double>(groups);
  return kCaution * std::sqrt(squares * n / (n - 1)) / (marks.back().steps - marks.front().steps);
}

}  // namespace

CapWindow::CapWindow(Time begin) : begin_(begin), pauses_left_(kPauses) {}

void CapWindow::Take(const core::EnergyReading& reading) {
  if (reading.wall.begin < begin_) return;
  Use& use = uses_[reading.device];
  if (use.wall.length() == Duration::zero()) use.wall = {reading.wall.begin, reading.wall.begin};
  use.is_gpu = reading.component == core::Component::kGpu;
  use.energy += reading.energy;
  use.wall.end = std::max(use.wall.end, reading.wall.end);
}

bool CapWindow::IsAfterPause(const ProgressMark& mark) const {
  if (marks_.size() < kMarksBeforePause) return false;
  const Duration usual =
      (marks_.back().at - marks_.front().at) / static_cast<Duration::rep>(marks_.size() - 1);
  return mark.at - marks_.back().at > std::max(kLongGap * usual, kShortestPause);
}

// A count that falls begins anew: the program went back to a checkpoint, or counts every epoch.
void CapWindow::Take(const ProgressMark& mark) {
  if (mark.at < begin_) return;
  if (!marks_.empty() && mark.steps < marks_.back().steps) marks_.clear();
  if (IsAfterPause(mark) && pauses_left_-- > 0) {
    begin_ = mark.at;
    marks_.clear();
    uses_.clear();
  }
  if (!marks_.empty() && (mark.steps == marks_.back().steps || mark.at <= marks_.back().at)) return;
  marks_.push_back(mark);
}

std::optional<core::CapTrial> CapWindow::Measured() const {
  core::CapTrial trial;
  for (const auto& [device, use] : uses_) {
    const double seconds = Seconds(use.wall.length());
    if (seconds <= 0) continue;
    const double watts = use.energy.joules() / seconds;
    trial.power.watts += watts;
    if (use.is_gpu) trial.gpu_power.watts += watts;
    trial.measured = std::max(trial.measured, use.wall.length());
  }
  if (marks_.size() < 2 || trial.power.watts <= 0) return std::nullopt;
  const ProgressMark &first = marks_.front(), &last = marks_.back();
  trial.steps_per_s = (last.steps - first.steps) / Seconds(last.at - first.at);
  trial.error = RateError(marks_, trial.steps_per_s);
  return trial;
}

}  // namespace ebb::local
