// The routes that accept jobs and sweeps.

#include <algorithm>

#include "web/answers/short_answers.h"
#include "web/api/api.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

using Answers = std::vector<Result<service::Answer>>;

bool IsTaken(const Result<service::Answer>& answer) { return answer && answer->conflict.empty(); }

HttpResponse RespondRefused(const Result<service::Answer>& answer) {
  return answer ? RespondConflict(ConflictOf(answer->conflict)) : Respond(answer.error());
}

Taken TakenOf(const Result<service::Answer>& answer) {
  if (answer && !answer->conflict.empty()) return ErrorAnswer{{ConflictOf(answer->conflict)}};
  if (!answer) return ErrorAnswer{{{answer.error().code, answer.error().Message(), "", ""}}};
  if (answer->next) return TakenRecurring{*answer->next};
  return TakenJob{answer->job, answer->existing};
}

std::vector<Taken> TakenOf(const Answers& answers) {
  std::vector<Taken> taken;
  for (const auto& answer : answers) taken.push_back(TakenOf(answer));
  return taken;
}

int StatusOf(const Answers& answers) {
  const bool all = std::all_of(answers.begin(), answers.end(), IsTaken);
  return all ? 201 : 207;
}

// True if the service accepts nothing at the moment. The same request with the same keys may
// succeed later.
bool NothingForNow(const Answers& answers) {
  return std::all_of(answers.begin(), answers.end(), [](const auto& answer) {
    return !answer && (answer.error().code == ExitCode::kUnavailable ||
                       answer.error().code == ExitCode::kTryLater);
  });
}

std::vector<service::Request> RequestsOf(std::vector<service::Submit>& submissions) {
  return {std::make_move_iterator(submissions.begin()), std::make_move_iterator(submissions.end())};
}

}  // namespace

SubmissionDefaults Api::Defaults() const {
  SubmissionDefaults defaults;
  defaults.tiers = options_.tiers;
  defaults.policy = service_.options().policy;
  return defaults;
}

Result<std::vector<Result<service::Answer>>> Api::AskAll(
    std::vector<service::Request> requests) const {
  Answers answers;
  for (auto& answer : service_.AskAll(std::move(requests))) {
    if (answer.wait_for(kPatience) != std::future_status::ready)
      return Fail({ExitCode::kTryLater, "the service is busy", "",
                   "it may still take what was asked: ask again with the same key"});
    answers.push_back(answer.get());
  }
  return answers;
}

HttpResponse Api::Submit(const HttpRequest& request, core::JobId) const {
  auto submissions = SubmissionsFromJson(request.body, Defaults());
  if (!submissions) return Respond(submissions.error());
  const auto answers = AskAll(RequestsOf(submissions->jobs));
  if (!answers) return Respond(answers.error());
  if (NothingForNow(*answers)) return Respond(answers->front().error());
  if (submissions->is_list)
    return RespondWith(TakenOneOrMore(TakenJobs{TakenOf(*answers)}), StatusOf(*answers));
  if (!IsTaken(answers->front())) return RespondRefused(answers->front());
  return RespondWith(TakenOneOrMore(TakenOf(answers->front())), StatusOf(*answers));
}

HttpResponse Api::SubmitSweep(const HttpRequest& request, core::JobId) const {
  auto experiments = SweepFromJson(request.body, Defaults());
  if (!experiments) return Respond(experiments.error());
  const auto answers = AskAll(RequestsOf(*experiments));
  if (!answers) return Respond(answers.error());
  const auto taken = std::find_if(answers->begin(), answers->end(), IsTaken);
  // No experiment was accepted.
  if (taken == answers->end()) return RespondRefused(answers->front());
  return RespondWith(TakenSweep{(*taken)->sweep, TakenOf(*answers)}, StatusOf(*answers));
}

}  // namespace ebb::web
