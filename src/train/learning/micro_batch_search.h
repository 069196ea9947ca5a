#pragma once
// Finds the size of micro-batches while a run trains: its first updates try sizes, and the size
// with the most tokens per joule stays; per second, if joules are not known. Pure: the same state
// and the same measurements lead to the same size.
//
// The first size is doubled while that raises the rate and memory is enough, and halved if nothing
// larger is better. Among sizes whose rates are equal within noise, the one that was tried first
// stays, which needs less memory than a larger one. A trial is a few updates; the first of them
// does not count, because memory is allocated and kernels are chosen in it.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "train/learning/micro_batch.h"

namespace ebb::train {

struct MicroBatchLimits {
  std::size_t first = 1;          ///< the size to begin with
  std::size_t largest = 1;        ///< samples of an update
  std::int64_t most_updates = 0;  ///< updates that the search may take
};

/// The updates that a search may take in a run of so many: a twentieth, but a dozen if that is not
/// more than half.
std::int64_t SearchUpdates(std::int64_t run_updates);

/// An update that was done with the size that the search asked for.
struct MeasuredUpdate {
  std::int64_t tokens = 0;
  double seconds = 0;
  std::optional<double> joules;
};

class MicroBatchSearch {
 public:
  /// Always this size, while memory is enough.
  explicit MicroBatchSearch(std::size_t size);
  explicit MicroBatchSearch(const MicroBatchLimits& limits);

  /// Goes on from a state of an earlier process. A trial that was under way begins again, because
  /// this process has its own first update.
  void Resume(const MicroBatchState& state);
  /// Ends the search with the best of what is known.
  void Stop();

  std::size_t size() const { return state_.size; }
  bool searching() const { return state_.searching; }
  const MicroBatchState& state() const { return state_; }

  void Add(const MeasuredUpdate& update);
  /// The size is too large: the update that ran out of memory begins again with the new size().
  /// Requires a size above 1.
  void RunOutOfMemory();

 private:
  void Try(std::size_t size);
  void TryNextOrStop();
  bool CurrentIsDone() const;
  std::size_t SmallestTooLarge() const;
  bool IsKnown(const MicroBatchTrial& trial) const;
  double RateOf(const MicroBatchTrial& trial) const;
  std::optional<std::size_t> Larger() const;
  std::optional<std::size_t> Smaller() const;
  std::optional<std::size_t> Best() const;

  MicroBatchLimits limits_;
  MicroBatchState state_;
  bool warm_ = false;  ///< this process has done an update with the present size
};

}  // namespace ebb::train
