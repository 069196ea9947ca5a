#pragma once
// Makes the experiments of a sweep on this machine run directories, so that every command that
// reads runs can read them. DIR/runs/NAME is a link to the folder of its job, in which the program
// writes. Whenever a program has ended, its run is written from the store into that folder.
//
// Thread contract: one thread.

#include <map>
#include <set>

#include "app/sweep/sweep_paths.h"
#include "base/result.h"
#include "prices/price_source.h"
#include "service/views/view.h"

namespace ebb::app {

class SweepRuns {
 public:
  /// `prices` must outlive this object.
  SweepRuns(SweepPaths paths, const std::optional<prices::PriceSource>& prices)
      : paths_(std::move(paths)), prices_(prices) {}

  /// Writes the runs that have ended since the last call; with `all` also those that are paused.
  /// Returns the failures, which the next call tries again.
  std::vector<std::string> Keep(const service::View& view, bool all = false);

 private:
  Status Link(const core::Submission& submission);
  Status Write(const core::Submission& submission) const;

  const SweepPaths paths_;
  const std::optional<prices::PriceSource>& prices_;
  std::set<core::JobId> linked_;
  std::set<core::JobId> written_;  // jobs whose runs were written after their end
};

}  // namespace ebb::app
