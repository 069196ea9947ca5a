#pragma once
// The server-sent events for a live page: the first view whole, then the changes.
//
//   status  as GET /api/v1/status; of the events those that are new
//   jobs    {"whole":true,"changed":[...],"gone":[...],"more":true,"left_out":n}: cards as in GET
//           /api/v1/jobs and numbers of jobs that are no longer shown. whole: forget what was told
//           before. more: another part of the same change follows. left_out: waiting jobs beyond
//           the first 20,000 jobs, which are not told. As rows: of each job only what a list of
//           jobs and a chart of devices show of it
//   grid    as GET /api/v1/grid
//
// Thread contract: one thread.

#include <limits>
#include <memory>
#include <string>

#include "service/views/view.h"
#include "web/http/http_server.h"

namespace ebb::web {

enum class LiveParts {
  kStatus,
  kWhole,  ///< events, jobs and grid
  kRows,   ///< as kWhole, with jobs as rows
};

class LiveView {
 public:
  explicit LiveView(LiveParts parts) : parts_(parts) {}

  /// Sends the changes from the last view to this one; false when nobody reads them any more.
  bool Tell(std::shared_ptr<const service::View> view, const StreamWriter& write);
  std::uint64_t version() const { return told_ ? told_->version : 0; }

 private:
  bool TellJobs(const service::View& view, const StreamWriter& write);
  bool TellGrid(const service::View& view, const StreamWriter& write);

  LiveParts parts_;
  std::shared_ptr<const service::View> told_;
  core::JobId last_waiting_ = std::numeric_limits<core::JobId>::max();  // highest sent
};

}  // namespace ebb::web
