#pragma once
// The supervisor here of an attempt that runs on another machine (local/files/remote_place.h). It
// sends the job's files there, has the attempt started, keeps the files of the attempt here like
// those there while it runs (ledger, output, progress), passes requests on, and fetches what the
// program wrote before it writes the end here. To the service it is a supervisor like any other: it
// holds the lock of the attempt, outlives the service, and takes the same signals
// (local/supervisor/supervisor.h).
//
// A broken connection ends nothing. The follower connects again for as long as the attempt may run
// there. If the follower itself is killed, the service starts another for the same attempt, which
// finds out how far it got: starts there are idempotent, so nothing runs twice.
//
// If the plan has an order (local/files/start_order.h), the site gets the files early and keeps the
// start. The service changes the order in the plan, and removes it when the attempt is to start.
// If the site cannot be reached for a while, `order` in attempt-N.site says that it is on its own.
// If it has not started the job by the time it is back, the start is taken back.
//
// The site does not know the signal of this service. So the follower keeps grid.json
// (local/process/grid_file.h) in the folder of the job here and there while the attempt runs. As
// long as there is no connection, the file there keeps the last intensity, with its time.
//
// An attempt that was never asked to start there may end here without a connection, so that the job
// can run elsewhere: `start_was_sent` in attempt-N.site is on the disk before the site is asked.

#include <string>

#include "base/result.h"
#include "local/files/attempt_files.h"
#include "platform/file_lock.h"
#include "runtime/signal_feed.h"

namespace ebb::sites {

struct FollowerOptions {
  std::string version;           ///< of Ebb
  Duration tick{1000};           ///< wall time between looks at the attempt there
  Duration shortest_wait{1000};  ///< before connecting again; doubled...
  /// ...up to this. Every job at the site waits for its own connection, so a long wait would keep
  /// ends and starts from the service after the machine is back.
  Duration longest_wait{10'000};
  /// Wall time after which an attempt that was not started gives up on a site that cannot be
  /// reached.
  Duration patience{60'000};
  runtime::SignalFeed* feed = nullptr;  ///< intensity of the site's zone; null: unknown
  Pue pue;                              ///< of the site
};

/// Follows the attempt to its end. `lock`: of the attempt, held until then. An Error: the end could
/// not be written.
Status Follow(const local::AttemptPaths& paths, const local::AttemptPlan& plan,
              const FollowerOptions& options, const platform::FileLock& lock);

}  // namespace ebb::sites
