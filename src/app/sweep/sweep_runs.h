#pragma once
// The experiments of a sweep on this machine as run directories, so that every command that reads
// runs reads them: DIR/runs/NAME is a link to the folder of its job, in which the program writes,
// and a run is written from the store into it whenever its program has ended.
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
  /// `prices` must outlive it.
  SweepRuns(SweepPaths paths, const std::optional<prices::PriceSource>& prices)
      : paths_(std::move(paths)), prices_(prices) {}

  /// Those that have ended since the last call; with `all` those that are paused, too. What cannot
  /// be written is named, and tried again with the next call.
  std::vector<std::string> Keep(const service::View& view, bool all = false);

 private:
  Status Link(const core::Submission& submission);
  Status Write(const core::Submission& submission) const;

  const SweepPaths paths_;
  const std::optional<prices::PriceSource>& prices_;
  std::set<core::JobId> linked_;
  std::set<core::JobId> written_;  // since they ended
};

}  // namespace ebb::app
