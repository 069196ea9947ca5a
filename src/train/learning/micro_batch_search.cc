#include "train/learning/micro_batch_search.h"

#include <algorithm>
#include <limits>

namespace ebb::train {
namespace {

constexpr double kNoise = 0.02;         // rates that differ by less count as equal
constexpr double kClearlyWorse = 0.05;  // no larger size is tried after one that is so much worse
constexpr int kMostWithoutGain = 2;     // so many larger sizes in a row may be no better
constexpr std::int64_t kEnoughUpdates = 2;
constexpr double kEnoughSeconds = 1;  // ten steps of a slow energy counter
constexpr std::int64_t kShortSearch = 12;
constexpr std::int64_t kSearchShare = 20;

// The sizes that a search tries if nothing stops it: those up to the largest, and one smaller.
std::int64_t SizesOf(const MicroBatchLimits& limits) {
  std::int64_t sizes = 2;
  for (std::size_t size = limits.first; size < limits.largest; size *= 2) ++sizes;
  return sizes;
}

}  // namespace

std::int64_t SearchUpdates(std::int64_t run_updates) {
  return std::min(std::max(kShortSearch, run_updates / kSearchShare), run_updates / 2);
}

MicroBatchSearch::MicroBatchSearch(std::size_t size)
    : limits_{size, size, 0}, state_{size, false, {}} {}

MicroBatchSearch::MicroBatchSearch(const MicroBatchLimits& limits) : limits_(limits) {
  limits_.first = std::min(limits.first, limits.largest);
  state_.size = limits_.first;
  state_.searching = limits_.largest > 1 && limits_.most_updates > 0;
  if (state_.searching) Try(limits_.first);
}

void MicroBatchSearch::Resume(const MicroBatchState& state) {
  // A checkpoint without a size is of a version that always used the first one.
  state_ = state.size > 0 ? state : MicroBatchState{limits_.first, false, {}};
  if (!searching()) return;
  MicroBatchTrial& current = state_.trials.back();
  current = {.size = current.size, .updates = current.updates};
  if (limits_.most_updates == 0) Stop();
}

void MicroBatchSearch::Stop() {
  if (!searching()) return;
  const MicroBatchTrial& current = state_.trials.back();
  if (current.fits && state_.trials.size() > 1 && !CurrentIsDone()) state_.trials.pop_back();
  state_.searching = false;
  state_.size = Best().value_or(state_.size);
}

void MicroBatchSearch::Add(const MeasuredUpdate& update) {
  if (!searching()) return;
  MicroBatchTrial& current = state_.trials.back();
  ++current.updates;
  if (warm_) {
    ++current.counted;
    current.tokens += update.tokens;
    current.seconds += update.seconds;
    if (current.joules && update.joules)
      *current.joules += *update.joules;
    else
      current.joules.reset();
  }
  warm_ = true;
  std::int64_t updates = 0;
  for (const MicroBatchTrial& trial : state_.trials) updates += trial.updates;
  if (updates >= limits_.most_updates)
    Stop();
  else if (CurrentIsDone())
    TryNextOrStop();
}

void MicroBatchSearch::RunOutOfMemory() {
  const std::size_t half = (state_.size + 1) / 2;
  if (!searching()) {
    state_.size = half;
    return;
  }
  state_.trials.back().fits = false;
  if (Best())
    TryNextOrStop();
  else
    Try(half);
}

void MicroBatchSearch::Try(std::size_t size) {
  state_.size = size;
  state_.trials.push_back({.size = size});
  warm_ = false;
}

void MicroBatchSearch::TryNextOrStop() {
  std::optional<std::size_t> next = Larger();
  if (!next) next = Smaller();
  if (next)
    Try(*next);
  else
    Stop();
}

bool MicroBatchSearch::CurrentIsDone() const {
  const MicroBatchTrial& current = state_.trials.back();
  if (current.counted == 0) return false;
  if (current.counted >= kEnoughUpdates && current.seconds >= kEnoughSeconds) return true;
  return current.updates >= limits_.most_updates / SizesOf(limits_);
}

std::size_t MicroBatchSearch::SmallestTooLarge() const {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const MicroBatchTrial& trial : state_.trials)
    if (!trial.fits) smallest = std::min(smallest, trial.size);
  return smallest;
}

bool MicroBatchSearch::IsKnown(const MicroBatchTrial& trial) const {
  return trial.TokensPerSecond() && trial.size < SmallestTooLarge();
}

double MicroBatchSearch::RateOf(const MicroBatchTrial& trial) const {
  return ComparedByJoules(state_.trials) ? *trial.TokensPerJoule() : *trial.TokensPerSecond();
}

// The next size upwards, while sizes from the first on go on to raise the rate.
std::optional<std::size_t> MicroBatchSearch::Larger() const {
  double best = 0, last = 0;
  std::size_t largest = 0;
  int without_gain = 0;
  for (const MicroBatchTrial& trial : state_.trials) {
    if (!IsKnown(trial) || trial.size < limits_.first) continue;
    last = RateOf(trial);
    without_gain = last > best * (1 + kNoise) ? 0 : without_gain + 1;
    best = std::max(best, last);
    largest = trial.size;
  }
  if (largest == 0 || largest == limits_.largest) return std::nullopt;
  if (without_gain >= kMostWithoutGain || last < best * (1 - kClearlyWorse)) return std::nullopt;
  const std::size_t next = std::min(2 * largest, limits_.largest);
  return next < SmallestTooLarge() ? std::optional(next) : std::nullopt;
}

// The next size downwards, while the smallest known one is the best.
std::optional<std::size_t> MicroBatchSearch::Smaller() const {
  std::size_t smallest = std::numeric_limits<std::size_t>::max();
  for (const MicroBatchTrial& trial : state_.trials)
    if (IsKnown(trial)) smallest = std::min(smallest, trial.size);
  return smallest > 1 && Best() == smallest ? std::optional(smallest / 2) : std::nullopt;
}

// The first size that was tried among those that are equal to the best within noise.
std::optional<std::size_t> MicroBatchSearch::Best() const {
  double best = 0;
  for (const MicroBatchTrial& trial : state_.trials)
    if (IsKnown(trial)) best = std::max(best, RateOf(trial));
  for (const MicroBatchTrial& trial : state_.trials)
    if (IsKnown(trial) && RateOf(trial) >= best * (1 - kNoise)) return trial.size;
  return std::nullopt;
}

}  // namespace ebb::train
