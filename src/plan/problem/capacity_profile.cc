#include "plan/problem/capacity_profile.h"

#include <algorithm>
#include <utility>

namespace ebb::plan {

std::size_t CapacityProfile::PieceAt(Time time) const {
  const auto next = std::upper_bound(pieces_.begin(), pieces_.end(), time,
                                     [](Time t, const Piece& piece) { return t < piece.begin; });
  return next == pieces_.begin() ? 0 : static_cast<std::size_t>(next - pieces_.begin()) - 1;
}

// Makes the times begins of pieces and returns their indices. The pieces behind both move once.
std::pair<std::size_t, std::size_t> CapacityProfile::SplitAt(Interval time) {
  std::size_t first = PieceAt(time.begin), last = PieceAt(time.end);
  const std::size_t at_begin = pieces_[first].begin < time.begin ? 1 : 0;
  const std::size_t at_end = pieces_[last].begin < time.end ? 1 : 0;
  const int free_before = pieces_[first].free, free_after = pieces_[last].free;
  const auto at = [&](std::size_t piece) {
    return pieces_.begin() + static_cast<std::ptrdiff_t>(piece);
  };
  pieces_.insert(at(last + 1), at_begin + at_end, Piece{time.end, free_after});
  if (at_begin > 0) {
    std::move_backward(at(first + 1), at(last + 1), at(last + 2));
    pieces_[++first] = {time.begin, free_before};
  }
  return {first, last + at_begin + at_end};
}

// Joins the pieces, of which `left` is the earlier one, with those before them, if they have as
// many free devices. The pieces behind both move once.
void CapacityProfile::MergeAt(std::size_t left, std::size_t right) {
  const auto is_like_before = [&](std::size_t piece) {
    return piece > 0 && pieces_[piece - 1].free == pieces_[piece].free;
  };
  const std::size_t at_left = is_like_before(left) ? 1 : 0,
                    at_right = is_like_before(right) ? 1 : 0;
  const auto at = [&](std::size_t piece) {
    return pieces_.begin() + static_cast<std::ptrdiff_t>(piece);
  };
  if (at_left > 0) std::move(at(left + 1), at(right), at(left));
  pieces_.erase(at(right - at_left), at(right + at_right));
}

void CapacityProfile::Take(Interval time, int width) {
  time.begin = std::max(time.begin, pieces_.front().begin);
  if (time.length() == Duration::zero()) return;
  const auto [first, last] = SplitAt(time);
  for (std::size_t i = first; i < last; ++i) pieces_[i].free -= width;
  MergeAt(first, last);
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
