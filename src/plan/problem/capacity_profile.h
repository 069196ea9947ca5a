#pragma once
// The number of free devices of one pool: a step function of time from which jobs take devices and
// to which they give them back. It may be negative if a pool lost devices under running jobs.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"

namespace ebb::plan {

class CapacityProfile {
 public:
  struct Piece {
    Time begin{};  ///< begin of the piece, which ends at the next one's begin; the last one never
                   ///< ends
    int free = 0;
  };

  CapacityProfile(Time begin, int count) : pieces_{{begin, count}} {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  Time EndOf(std::size_t piece) const {
    return piece + 1 < pieces_.size() ? pieces_[piece + 1].begin : Time::max();
  }

  /// Takes `width` devices away over `time`, or gives them back if width is negative. The part
  /// before the profile's begin is cut off.
  void Take(Interval time, int width);
  /// Takes many at once in O(n log n). Returns false, and takes nothing, if there is not room for
  /// all.
  struct Use {
    Interval time;
    int width = 1;
  };
  bool TakeAll(const std::vector<Use>& uses);
  /// The first moment from `from` on at which `width` devices are free for `length`.
  std::optional<Time> EarliestRoom(Time from, Duration length, int width) const;
  /// True if at least `width` devices are free all through `time`.
  bool HasFree(Interval time, int width) const;
  /// Index of the piece that contains `time`; time >= begin.
  std::size_t PieceAt(Time time) const;

 private:
  std::pair<std::size_t, std::size_t> SplitAt(Interval time);
  void MergeAt(std::size_t left, std::size_t right);

  std::vector<Piece> pieces_;
};

}  // namespace ebb::plan
