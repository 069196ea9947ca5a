#include "plan/problem/capacity_profile.h"

#include <algorithm>
#include <utility>

namespace ebb::plan {

std::size_t CapacityProfile::PieceAt(Time time) const {
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                     [](Time t, const Piece& piece) { return t < piece.begin; });
  return next == pieces_.begin() ? 0 : static_cast<std::size_t>(next - pieces_.begin()) - 1;
}

// Makes `time` the begin of a piece and returns its index.
std::size_t CapacityProfile::SplitAt(Time time) {
  const std::size_t index = PieceAt(time);
  if (pieces_[index].begin >= time) return index;
  const Piece right{time, pieces_[index].free};
  pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(index) + 1, right);
  return index + 1;
}

void CapacityProfile::MergeAt(std::size_t piece) {
  if (piece == 0 || piece >= pieces_.size()) return;
  if (pieces_[piece - 1].free != pieces_[piece].free) return;
  pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(piece));
}

void CapacityProfile::Take(Interval time, int width) {
  time.begin = std::max(time.begin, pieces_.front().begin);
  if (time.length() == Duration::zero()) return;
  const std::size_t first = SplitAt(time.begin);
  const std::size_t last = SplitAt(time.end);
  for (std::size_t i = first; i < last; ++i) pieces_[i].free -= width;
  MergeAt(last);
  MergeAt(first);
}

bool CapacityProfile::TakeAll(const std::vector<Use>& uses) {
  struct Step {
    Time at;
    int more_free;
  };
  std::vector<Step> steps;
  steps.reserve(2 * uses.size() + pieces_.size());
  for (const Use& use : uses) {
    steps.push_back({std::max(use.time.begin, pieces_.front().begin), -use.width});
    steps.push_back({use.time.end, use.width});
  }
  for (std::size_t i = 0; i < pieces_.size(); ++i)
    steps.push_back({pieces_[i].begin, pieces_[i].free - (i > 0 ? pieces_[i - 1].free : 0)});
  std::sort(steps.begin(), steps.end(),
            [](const Step& left, const Step& right) { return left.at < right.at; });
  std::vector<Piece> merged;
  int free = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    free += steps[i].more_free;
    if (i + 1 < steps.size() && steps[i + 1].at == steps[i].at) continue;
    if (free < 0) return false;
    if (merged.empty() || merged.back().free != free) merged.push_back({steps[i].at, free});
  }
  pieces_ = std::move(merged);
  return true;
}

std::optional<Time> CapacityProfile::EarliestRoom(Time from, Duration length, int width) const {
  std::optional<Time> open;
  for (std::size_t i = PieceAt(from); i < pieces_.size(); ++i) {
    if (pieces_[i].free < width) {
      open.reset();
      continue;
    }
    if (!open) open = std::max(pieces_[i].begin, from);
    if (EndOf(i) == Time::max() || EndOf(i) - *open >= length) return open;
  }
  return std::nullopt;
}

bool CapacityProfile::HasFree(Interval time, int width) const {
  if (time.length() == Duration::zero()) return true;
  for (std::size_t i = PieceAt(time.begin); i < pieces_.size(); ++i) {
    if (pieces_[i].begin >= time.end) break;
    if (pieces_[i].free < width) return false;
  }
  return true;
}

}  // namespace ebb::plan
