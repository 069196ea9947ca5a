// The routes that take jobs and sweeps.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "web/api/api.h"
#include "web/http/responses.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;
using Answers = std::vector<Result<service::Answer>>;

Json JsonOf(const Result<service::Answer>& answer) {
  if (!answer) return {{"error", {{"what", answer.error().Message()}}}};
  if (answer->next) return {{"next", FormatTime(*answer->next)}};
  return {{"id", answer->job}, {"existing", answer->existing}};
}

Json JsonOf(const Answers& answers) {
  Json json = Json::array();
  for (const auto& answer : answers) json.push_back(JsonOf(answer));
  return json;
}

bool AllTaken(const Answers& answers) {
  return std::all_of(answers.begin(), answers.end(),
                     [](const auto& answer) { return answer.has_value(); });
}

// The service takes nothing at the moment: asked again with the same keys, it may.
bool NothingForNow(const Answers& answers) {
  return std::all_of(answers.begin(), answers.end(), [](const auto& answer) {
    return !answer && (answer.error().code == ExitCode::kUnavailable ||
                       answer.error().code == ExitCode::kTryLater);
  });
}

HttpResponse Respond(const Json& json, const Answers& answers) {
  return web::Respond(json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n",
                      AllTaken(answers) ? 201 : 207);
}

std::vector<service::Request> RequestsOf(std::vector<service::Submit>& submissions) {
  return {std::make_move_iterator(submissions.begin()), std::make_move_iterator(submissions.end())};
}

}  // namespace

SubmissionDefaults Api::Defaults() const {
  SubmissionDefaults defaults;
  defaults.tiers = options_.tiers;
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
  if (!submissions) return web::Respond(submissions.error());
  const auto answers = AskAll(RequestsOf(submissions->jobs));
  if (!answers) return web::Respond(answers.error());
  if (NothingForNow(*answers)) return web::Respond(answers->front().error());
  if (submissions->is_list) return Respond({{"jobs", JsonOf(*answers)}}, *answers);
  if (!answers->front()) return web::Respond(answers->front().error());
  return Respond(JsonOf(answers->front()), *answers);
}

HttpResponse Api::SubmitSweep(const HttpRequest& request, core::JobId) const {
  auto experiments = SweepFromJson(request.body, Defaults());
  if (!experiments) return web::Respond(experiments.error());
  const auto answers = AskAll(RequestsOf(*experiments));
  if (!answers) return web::Respond(answers.error());
  const auto taken = std::find_if(answers->begin(), answers->end(),
                                  [](const auto& answer) { return answer.has_value(); });
  // Nothing came of it.
  if (taken == answers->end()) return web::Respond(answers->front().error());
  return Respond({{"sweep", (*taken)->sweep}, {"jobs", JsonOf(*answers)}}, *answers);
}

}  // namespace ebb::web
