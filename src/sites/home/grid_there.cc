#include "sites/home/grid_there.h"

namespace ebb::sites {

GridThere::GridThere(const local::AttemptPaths& paths, runtime::SignalFeed& feed,
                     const runtime::GridClock& clock, Pue pue)
    : folder_(paths.directory, paths.directory / "incoming"),
      clock_(clock),
      feed_(feed),
      file_(paths.directory / local::kGridFile, feed, clock, pue) {}

Status GridThere::Look(SiteConnection& connection, const JobKey& job) {
  feed_.KeepUp(clock_.Now());
  if (file_.Look()) is_there_ = false;
  if (is_there_) return {};
  const FileFact file = folder_.Describe(local::kGridFile);
  if (file.sha256.empty()) return {};  // it could not be written here
  FileTransfer transfer(connection, job, [] { return true; });
  EBB_RETURN_IF_ERROR(transfer.Send(folder_, Root::kRun, {file}));
  is_there_ = true;
  return {};
}

}  // namespace ebb::sites
