// The route of jobs that have ended.

#include "store/store_clock.h"
#include "web/answers/past_job.h"
#include "web/api/api.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

store::JobFilter FilterOf(const HttpRequest& request, Time now) {
  store::JobFilter filter;
  filter.stages = StagesOf(request);
  if (filter.stages.empty())
    filter.stages = {engine::Stage::kSucceeded, engine::Stage::kFailed, engine::Stage::kCancelled};
  filter.name = QueryOf(request, "name");
  filter.user = QueryOf(request, "user");
  filter.ended_from = PastOf(request, "since", now);
  filter.ended_before = PastOf(request, "until", now);
  filter.limit = static_cast<int>(NumberOf(request, HistoryLimit()));
  if (const auto before = NumberOf(request, HistoryBefore())) filter.before = before;
  return filter;
}

}  // namespace

HttpResponse Api::History(const HttpRequest& request, core::JobId) const {
  store::JobFilter filter = FilterOf(request, service_.GridNow());
  const auto limit = static_cast<std::size_t>(filter.limit++);  // one more than is shown
  web::History history;
  const auto read = reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(auto records, store::ListJobs(database, filter));
    EBB_ASSIGN_OR_RETURN(history.replayed, store::IsReplayed(database));
    if (records.size() > limit) {
      records.resize(limit);
      history.next = records.back().id;
    }
    for (store::JobRecord& record : records) {
      EBB_ASSIGN_OR_RETURN(PastJob job, ReadPastJob(database, std::move(record)));
      history.jobs.push_back(std::move(job));
    }
    return {};
  });
  return read ? RespondWith(history) : Respond(read.error());
}

}  // namespace ebb::web
