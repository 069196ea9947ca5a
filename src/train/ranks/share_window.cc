#include "train/ranks/share_window.h"

namespace ebb::train {
namespace {

constexpr std::int64_t kUpdatesThatDoNotCount = 2;
constexpr std::size_t kLeastUpdates = 8;
// A counter moves 10 to 50 times in a second.
constexpr double kShortestVisibleWait = 0.2;
// Energy is believed if it is known for so much of the time.
constexpr double kKnownShare = 0.5;

double Seconds(Moment begin, Moment end) {
  return std::chrono::duration<double>(end - begin).count();
}

// Joules and seconds of the intervals whose energy is known.
struct KnownEnergy {
  double joules = 0, seconds = 0;

  void Add(const ShareWindow::JoulesBetween& between, Moment begin, Moment end) {
    const auto found = between ? between(begin, end) : std::nullopt;
    if (!found) return;
    joules += *found;
    seconds += Seconds(begin, end);
  }
  std::optional<double> Watts(double of_seconds) const {
    if (seconds <= 0 || seconds < kKnownShare * of_seconds) return std::nullopt;
    return joules / seconds;
  }
};

}  // namespace

std::optional<double> WindowFigures::BusyWatts(double waiting) const {
  if (!mean_w || busy_share <= 0) return std::nullopt;
  const double busy = (*mean_w - waiting * (1 - busy_share)) / busy_share;
  return busy > 0 ? std::optional(busy) : std::nullopt;
}

void ShareWindow::Restart() {
  skipped_ = 0;
  updates_.clear();
  seconds_ = 0;
}

void ShareWindow::Add(const RankUpdate& update) {
  if (skipped_ < kUpdatesThatDoNotCount) {
    ++skipped_;
    return;
  }
  updates_.push_back(update);
  seconds_ += Seconds(update.begin, update.end);
}

bool ShareWindow::LastsFor(std::chrono::duration<double> least) const {
  return updates_.size() >= kLeastUpdates && seconds_ >= least.count();
}

WindowFigures ShareWindow::Figures() const {
  WindowFigures figures;
  if (updates_.empty() || seconds_ <= 0) return figures;
  double samples = 0, busy_s = 0, common_s = 0, waiting_s = 0;
  KnownEnergy whole, waiting;
  for (const RankUpdate& update : updates_) {
    samples += static_cast<double>(update.samples);
    busy_s += Seconds(update.begin, update.computed);
    common_s += Seconds(update.met, update.end);
    waiting_s += Seconds(update.computed, update.end);
    whole.Add(joules_, update.begin, update.end);
    waiting.Add(joules_, update.computed, update.end);
  }
  const auto count = static_cast<double>(updates_.size());
  if (samples > 0 && busy_s > 0) figures.samples_per_s = samples / busy_s;
  figures.common_s = common_s / count;
  figures.mean_w = whole.Watts(seconds_);
  if (waiting_s / count >= kShortestVisibleWait) figures.waiting_w = waiting.Watts(waiting_s);
  figures.busy_share = busy_s / seconds_;
  return figures;
}

}  // namespace ebb::train
