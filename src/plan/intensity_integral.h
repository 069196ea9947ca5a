#pragma once
// The running integral of a signal from one moment on. It gives the mean of any window in O(log n),
// and sweeps in O(n) over every start at which a window's mean can have its extreme. Pure values.

#include <algorithm>
#include <optional>
#include <vector>

#include "core/signal/intensity.h"

namespace ebb::plan {

class IntensityIntegral {
 public:
  /// Known and forecast values of `view` from `from` on; gaps stay gaps.
  IntensityIntegral(const core::SignalView& view, Time from);

  bool empty() const { return pieces_.empty(); }
  Time begin() const { return empty() ? Time{} : pieces_.front().begin; }
  Time end() const { return empty() ? Time{} : pieces_.back().end; }

  /// The mean over a window; nullopt unless every moment of it has a value.
  std::optional<double> Mean(Interval window) const;
  /// The first time at which the value is this low or lower.
  std::optional<Time> FirstAtMost(double value) const;
  /// Pieces of constant value, in order of time.
  struct Piece {
    Time begin, end;
    double value = 0;     ///< g/kWh
    double integral = 0;  ///< integral from the beginning to `begin`, g/kWh x ms
    Duration covered{};   ///< known part of the time from the beginning to `begin`
    bool known = true;    ///< false: a gap
    double lowest = 0;    ///< lowest value up to `end`; infinite before the first
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

  /// Calls visit(start, mean) in order of time for every start in `starts` at which the mean over
  /// `length`, a piecewise linear function of the start, can have its extreme: the ends of
  /// `starts`, and where the window's begin or end meets a change of value.
  template <typename Visit>
  void Sweep(Interval starts, Duration length, Visit visit) const;

 private:
  std::size_t PieceAt(Time time) const;
  // The mean over the window that begins in piece `first` and ends in piece `last`.
  std::optional<double> Mean(Interval window, std::size_t first, std::size_t last) const;

  std::vector<Piece> pieces_;
};

template <typename Visit>
void IntensityIntegral::Sweep(Interval starts, Duration length, Visit visit) const {
  if (empty() || length <= Duration::zero()) return;
  Time start = std::max(starts.begin, begin());
  const Time last_start = std::min(starts.end, end() - length);
  if (start > last_start) return;
  std::size_t first = PieceAt(start);
  std::size_t last = PieceAt(start + length);
  for (;;) {
    if (const auto mean = Mean({start, start + length}, first, last)) visit(start, *mean);
    if (start >= last_start) return;
    start = std::min({pieces_[first].end, pieces_[last].end - length, last_start});
    if (pieces_[first].end <= start) ++first;
    if (pieces_[last].end <= start + length && last + 1 < pieces_.size()) ++last;
  }
}

}  // namespace ebb::plan
