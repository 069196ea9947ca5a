#pragma once
// Measures how a rank spends its updates: how fast it computes, how long it waits for the others,
// and what power it draws meanwhile. Pure: the moments and the energy are passed in.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ebb::train {

using Moment = std::chrono::steady_clock::time_point;

/// An update of one rank: it computes its part, waits until all ranks have met, and then exchanges
/// gradients and takes the step.
struct RankUpdate {
  std::int64_t samples = 0;  ///< of this rank's part
  Moment begin, computed, met, end;
};

/// Figures of a window of updates; nullopt: unknown.
struct WindowFigures {
  std::optional<double> samples_per_s;  ///< while it computes
  double common_s = 0;                  ///< from meeting to the end of an update
  std::optional<double> mean_w;         ///< over whole updates
  /// From the end of computing to the end of the update; unknown if the waits are so short that a
  /// counter does not show them.
  std::optional<double> waiting_w;
  double busy_share = 0;  ///< the part of the time in which the rank computes

  /// Power while the rank computes, if it draws `waiting` watts otherwise.
  std::optional<double> BusyWatts(double waiting) const;
};

class ShareWindow {
 public:
  /// The energy of the rank's device between two moments; nullopt: unknown for these.
  using JoulesBetween = std::function<std::optional<double>(Moment, Moment)>;
  /// Without `joules`, the power is unknown.
  explicit ShareWindow(JoulesBetween joules = {}) : joules_(std::move(joules)) {}

  /// Starts over. The first updates of a division do not count: memory is allocated in them.
  void Restart();
  void Add(const RankUpdate& update);
  /// True if there are enough updates to judge by.
  bool LastsFor(std::chrono::duration<double> least) const;
  WindowFigures Figures() const;

 private:
  JoulesBetween joules_;
  std::int64_t skipped_ = 0;
  std::vector<RankUpdate> updates_;
  double seconds_ = 0;
};

}  // namespace ebb::train
