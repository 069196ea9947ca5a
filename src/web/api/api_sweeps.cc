// The routes of sweeps in the queue.

#include <algorithm>

#include "engine/state.h"
#include "service/sweeps/sweep_facts.h"
#include "web/answers/short_answers.h"
#include "web/answers/sweep_json.h"
#include "web/api/api.h"
#include "web/http/responses.h"
#include "web/requests/submission_json.h"

namespace ebb::web {
namespace {

HttpResponse NoSweep(core::SweepId id) {
  return NotFound("there is no sweep " + std::to_string(id));
}

}  // namespace

Result<std::vector<SweepLine>> Api::ReadSweeps(const store::SweepFilter& filter) const {
  std::vector<SweepLine> lines;
  EBB_RETURN_IF_ERROR(reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(const auto sweeps, store::ListSweeps(database, filter));
    for (const store::SweepRecord& sweep : sweeps) {
      SweepLine line{sweep, {}, {}};
      EBB_ASSIGN_OR_RETURN(line.jobs, store::CountJobs(database, sweep.id));
      EBB_ASSIGN_OR_RETURN(line.rungs, store::RungLossesOf(database, sweep.id));
      lines.push_back(std::move(line));
    }
    return {};
  }));
  return lines;
}

HttpResponse Api::Sweeps(const HttpRequest& request, core::SweepId) const {
  const auto limit = static_cast<int>(NumberOf(request, SweepsLimit()));
  auto lines = ReadSweeps({QueryOf(request, "name"), limit});
  return lines ? RespondWith(SweepLines{*std::move(lines)}) : Respond(lines.error());
}

Result<std::optional<report::SweepReport>> Api::ReadSweep(core::SweepId id) const {
  std::optional<service::SweepFacts> facts;
  EBB_RETURN_IF_ERROR(reader_.Use([&](store::Database& database) -> ebb::Status {
    EBB_ASSIGN_OR_RETURN(facts, service::ReadSweepFacts(database, id, service_.GridNow()));
    return {};
  }));
  if (!facts) return std::optional<report::SweepReport>();
  for (auto& [job, attempts] : facts->attempts)
    if (attempts.ran) attempts.ran = service_.ToWall(*attempts.ran);
  const auto view = service_.view();
  // A running job has used more energy than is stored.
  for (store::JobRecord& job : facts->jobs) {
    if (const service::JobCard* card = view->jobs.Find(job.id)) {
      job.energy = card->energy;
      job.emissions = card->emitted();
      job.work = card->work;
    }
  }
  service::ReadLosses(*facts, [&](core::JobId job) { return service_.DirectoryOf(job); });
  return std::optional(service::SweepReportOf(*facts));
}

HttpResponse Api::Sweep(const HttpRequest& request, core::SweepId id) const {
  auto report = ReadSweep(id);
  if (!report) return Respond(report.error());
  if (!*report) return NoSweep(id);
  if (const std::string by = QueryOf(request, "rank_by"); !by.empty()) {
    const auto known = report::ParseRankBy("rank_by", by);
    if (!known) return Respond(known.error());
    (*report)->ranked_by = *known;
    report::Rank(**report);
  }
  return Respond(report::SweepJson(**report));
}

HttpResponse Api::CancelSweep(const HttpRequest&, core::SweepId id) const {
  std::vector<service::Request> requests;
  bool known = false;
  service_.view()->jobs.ForEach(0, [&](const service::JobCard& card) {
    if (card.submission->sweep != id) return true;
    known = true;
    if (!engine::HasEnded(card.explanation.stage))
      requests.emplace_back(service::Cancel{card.submission->job.id});
    return true;
  });
  if (!known) {
    const auto read = reader_.Use([&](store::Database& database) -> ebb::Status {
      EBB_ASSIGN_OR_RETURN(const auto sweep, store::FindSweep(database, id));
      known = sweep.has_value();
      return {};
    });
    if (!read) return Respond(read.error());
    if (!known) return NoSweep(id);
  }
  const auto answers = AskAll(std::move(requests));
  if (!answers) return Respond(answers.error());
  return RespondWith(SweepDone{id, answers->size()}, 202);
}

HttpResponse Api::SetSweepBudget(const HttpRequest& request, core::SweepId id) const {
  const auto budget = SweepBudgetFromJson(request.body);
  if (!budget) return Respond(budget.error());
  const auto known = ReadSweep(id);
  if (!known) return Respond(known.error());
  if (!*known) return NoSweep(id);
  const auto answers = AskAll({service::ChangeBudget{0, id, *budget}});
  if (!answers) return Respond(answers.error());
  if (const auto& answer = answers->front(); !answer) {
    const bool is_used_up = answer.error().code == ExitCode::kUsage;
    return is_used_up ? RespondConflict(answer.error()) : Respond(answer.error());
  }
  return RespondWith(SweepChanged{id}, 202);
}

}  // namespace ebb::web
