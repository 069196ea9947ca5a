#pragma once
// grid.json of an attempt at a site (local/process/grid_file.h): kept here, where the service's
// signal of the site is known, and sent there whenever it changes. Private to sites/.
//
// Thread contract: one thread.

#include "local/files/attempt_files.h"
#include "local/process/grid_file.h"
#include "local/process/observed_feed.h"
#include "sites/home/file_transfer.h"

namespace ebb::sites {

class GridThere {
 public:
  /// `feed`: of the site's zone. It and the clock must outlive this.
  GridThere(const local::AttemptPaths& paths, runtime::SignalFeed& feed,
            const runtime::GridClock& clock, Pue pue);

  /// Sends the file if it has changed. An Error: it could not be sent, and the next call tries
  /// again.
  Status Look(SiteConnection& connection, const JobKey& job);
  /// The file may not be there as it is here: over an earlier connection it may have been lost.
  void SendAgain() { is_there_ = false; }

 private:
  Folder folder_;
  const runtime::GridClock& clock_;
  local::ObservedFeed feed_;
  local::GridFile file_;
  bool is_there_ = false;
};

}  // namespace ebb::sites
