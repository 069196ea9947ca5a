#pragma once
// How many devices of one pool are free when: a step function of time that jobs take from and give
// back to. Free may be negative where a pool lost devices under running jobs.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"

namespace ebb::plan {

class CapacityProfile {
 public:
  struct Piece {
    Time begin{};  ///< until the next piece's begin; the last one never ends
    int free = 0;
  };

  CapacityProfile(Time begin, int count) : pieces_{{begin, count}} {}

  const std::vector<Piece>& pieces() const { return pieces_; }
  Time EndOf(std::size_t piece) const {
    return piece + 1 < pieces_.size() ? pieces_[piece + 1].begin : Time::max();
  }

  /// Takes `width` devices away over `time`, or gives them back when width is negative. The part
  /// before the profile's begin is cut off.
  void Take(Interval time, int width);
  /// Takes many at once in O(n log n); false, and nothing taken, where there is not room for all.
  struct Use {
    Interval time;
    int width = 1;
  };
  bool TakeAll(const std::vector<Use>& uses);
  /// The first moment from `from` on at which `width` devices are free for so long.
  std::optional<Time> EarliestRoom(Time from, Duration length, int width) const;
  /// Whether at least `width` devices are free all through `time`.
  bool HasFree(Interval time, int width) const;
  /// The piece that contains `time`; time >= begin.
  std::size_t PieceAt(Time time) const;

 private:
  std::size_t SplitAt(Time time);
  void MergeAt(std::size_t piece);

  std::vector<Piece> pieces_;
};

}  // namespace ebb::plan
