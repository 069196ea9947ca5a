// The route of jobs that have ended.

#include <algorithm>

#include "engine/state.h"
#include "store/store_clock.h"
#include "web/answers/past_job.h"
#include "web/api/api.h"
#include "web/api/query.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

constexpr long long kMostAtOnce = 1000;

Result<store::JobFilter> FilterOf(const HttpRequest& request, Time now) {
  store::JobFilter filter;
  EBB_ASSIGN_OR_RETURN(filter.stages, StagesOf(QueryOf(request, "stage")));
  if (!std::ranges::all_of(filter.stages, engine::HasEnded))
    return Fail({ExitCode::kUsage, "a job in the history has ended", "stage",
                 "succeeded, failed, cancelled; /api/v1/jobs has the others"});
  if (filter.stages.empty())
    filter.stages = {engine::Stage::kSucceeded, engine::Stage::kFailed, engine::Stage::kCancelled};
  filter.name = QueryOf(request, "name");
  filter.user = QueryOf(request, "user");
  EBB_ASSIGN_OR_RETURN(filter.ended_from, QueryPast(request, "since", now));
  EBB_ASSIGN_OR_RETURN(filter.ended_before, QueryPast(request, "until", now));
  const auto limit = QueryNumber(request, "limit", kMostAtOnce, kMostAtOnce);
  const auto before = QueryNumber(request, "before", 0, 2'000'000'000);
  if (!limit || *limit < 1)
    return Fail({ExitCode::kUsage, "must be a whole number from 1 to 1000", "limit",
                 "ask for more in parts: before= takes what next says"});
  if (!before) return Fail({ExitCode::kUsage, "must be the number of a job", "before", ""});
  filter.limit = static_cast<int>(*limit);
  if (*before > 0) filter.before = *before;
  return filter;
}

}  // namespace

HttpResponse Api::History(const HttpRequest& request, core::JobId) const {
  auto filter = FilterOf(request, service_.GridNow());
  if (!filter) return Respond(filter.error());
  const auto limit = static_cast<std::size_t>(filter->limit++);  // one more than is shown
  web::History history;
  const auto read = reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(auto records, store::ListJobs(database, *filter));
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
