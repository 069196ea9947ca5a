#include "web/api/api.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/exposition.h"
#include "base/text.h"
#include "core/jobs/owner_variables.h"
#include "local/device_names.h"
#include "local/files/attempt_files.h"
#include "local/supervisor/attempt_log.h"
#include "service/views/site_choices.h"
#include "web/answers/drain_answer.h"
#include "web/answers/job_json.h"
#include "web/answers/short_answers.h"
#include "web/answers/sites_answer.h"
#include "web/answers/status_answer.h"
#include "web/api/carbon_aware.h"
#include "web/http/responses.h"
#include "web/live/live_view.h"
#include "web/live/page_files.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kBetweenEvents{200};

// The page may ask this service only, and no other site may put anything into it.
HttpResponse RespondPage(const PageFile& file) {
  HttpResponse response;
  response.content_type = file.content_type;
  response.body = file.content;
  response.headers = {{"Content-Security-Policy",
                       "default-src 'none'; script-src 'self'; style-src 'self'; "
                       "connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
                       "form-action 'none'; frame-ancestors 'none'"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-cache"}};
  return response;
}

HttpResponse TooMany() {
  HttpResponse response =
      web::Respond(ErrorToJson({ExitCode::kTryLater, "too many requests from this address", "",
                                "try again in a moment; a list of jobs is one request"}),
                   429);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

// Matches a pattern such as "/api/v1/jobs/{id}/log" against "/api/v1/jobs/12/log".
bool Matches(const std::string& pattern, const std::string& path, core::JobId& id) {
  const auto hole = pattern.find("{id}");
  if (hole == std::string::npos) return pattern == path;
  const std::string before = pattern.substr(0, hole);
  const std::string after = pattern.substr(hole + 4);
  if (!path.starts_with(before) || !path.ends_with(after) ||
      path.size() <= before.size() + after.size())
    return false;
  const auto number =
      ParseInteger(path.substr(before.size(), path.size() - before.size() - after.size()));
  if (!number || *number < 1) return false;
  id = *number;
  return true;
}

// RFC 9110 asks for the methods that the address has.
HttpResponse NotAllowed(const std::vector<std::string>& allowed) {
  HttpResponse response =
      web::Respond(ErrorToJson({ExitCode::kUsage, "cannot be done there", "", ""}), 405);
  response.headers.emplace_back("Allow", Join(allowed, ", "));
  return response;
}

// The answer for an Error that says that something is not known, or that the service is busy.
HttpResponse RespondUnknown(const Error& error) {
  return error.code == ExitCode::kUsage ? RespondNotFound(error) : Respond(error);
}

}  // namespace

HttpResponse Api::Handle(const HttpRequest& request) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (auto refused = RefusalOfOrigin(request, options_.access)) return *std::move(refused);
  if (reads) {
    // The page needs no token: it holds no figures and asks the user for the token.
    if (const auto file = FindPageFile(request.path)) return RespondPage(*file);
  }
  if (auto refused = RefusalOfToken(request, options_.access))
    return failures_.Take(request.peer) ? *std::move(refused) : TooMany();
  if (!reads && !changes_.Take(request.peer)) return TooMany();
  std::vector<std::string> allowed;
  for (const Route& route : Routes()) {
    core::JobId id = 0;
    if (!Matches(route.path, request.path, id)) continue;
    allowed.push_back(route.method);
    const bool head = request.method == "HEAD" && route.method == "GET";
    if (route.method != request.method && !head) continue;
    if (const auto query = CheckQuery(request, route.parameters); !query)
      return Respond(query.error());
    return (this->*route.handle)(request, id);
  }
  if (!allowed.empty()) return NotAllowed(allowed);
  return NotFound("there is no such address");
}

HttpResponse Api::Status(const HttpRequest&, core::JobId) const {
  return Respond(ViewToJson(*service_.view(), 0, service_.GridNow()));
}

HttpResponse Api::Jobs(const HttpRequest& request, core::JobId) const {
  const auto stages = StagesOf(request);
  const auto limit = static_cast<std::size_t>(NumberOf(request, JobsLimit()));
  const std::string name = QueryOf(request, "name"), user = QueryOf(request, "user");
  Queue queue;
  const auto view = service_.view();  // keeps the cards alive
  view->jobs.ForEach(NumberOf(request, JobsFrom()), [&](const service::JobCard& card) {
    const engine::Stage stage = card.explanation.stage;
    if (!stages.empty() && std::ranges::find(stages, stage) == stages.end()) return true;
    if (!name.empty() && card.submission->job.name != name) return true;
    if (!user.empty() && core::VariableOf(*card.submission, core::kUserVariable) != user)
      return true;
    if (queue.jobs.size() == limit) {
      queue.next = card.submission->job.id;
      return false;
    }
    queue.jobs.push_back({&card, JobAnswer::Form::kLine});
    return true;
  });
  return RespondWith(queue);
}

HttpResponse Api::Job(const HttpRequest&, core::JobId id) const {
  const auto view = service_.view();  // keeps the card alive
  const auto caps = local::ReadPowerChoices(service_.DirectoryOf(id));
  const std::string power_cap = caps.empty() ? "" : core::Describe(caps.back());
  if (const service::JobCard* card = view->jobs.Find(id))
    return RespondWith(JobAnswer{
        .card = card,
        .power_cap = power_cap,
        .site_choices = SiteChoiceAnswers(view->cluster, service::SiteChoicesOf(*view, *card))});
  const auto record = FindRecord(id);
  if (!record) return Respond(record.error());
  if (!*record) return NotFound("there is no job " + std::to_string(id));
  return RespondWith(JobAnswer{.record = &**record, .power_cap = power_cap});
}

HttpResponse Api::Log(const HttpRequest& request, core::JobId id) const {
  const std::filesystem::path directory = service_.DirectoryOf(id);
  const long long attempt = QueryOf(request, "attempt").empty() ? local::LastAttempt(directory)
                                                                : NumberOf(request, LogAttempt());
  long long offset = NumberOf(request, LogOffset());
  const local::AttemptPaths paths{directory, static_cast<int>(attempt)};
  if (const long long tail = NumberOf(request, LogTail()); tail > 0) {
    std::error_code ignored;
    const auto size = std::filesystem::file_size(paths.log(), ignored);
    offset = ignored ? 0 : std::max<long long>(0, static_cast<long long>(size) - tail);
  }
  auto part = local::ReadLog(paths.log(), static_cast<std::uint64_t>(offset), kLongestLogPart);
  if (!part) return NotFound("job " + std::to_string(id) + " has not printed anything yet");
  HttpResponse response;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::move(part->text);
  response.headers.emplace_back("Ebb-Attempt", std::to_string(attempt));
  response.headers.emplace_back("Ebb-Next-Offset",
                                std::to_string(part->begin + response.body.size()));
  return response;
}

Result<service::Answer> Api::AskOne(service::Request request) const {
  auto answer = service_.Ask(std::move(request));
  if (answer.wait_for(kPatience) != std::future_status::ready)
    return Fail({ExitCode::kTryLater, "the service is busy", "", "try again"});
  return answer.get();
}

HttpResponse Api::AskOfJob(service::Request request, core::JobId job) const {
  const auto result = AskOne(std::move(request));
  if (!result) return RespondRefusal(result.error(), job);
  return RespondWith(Done{job}, 202);
}

// The service refuses a change in this way only if it does not know the job, or if the job's state
// does not allow the change.
HttpResponse Api::RespondRefusal(const Error& error, core::JobId id) const {
  if (error.code != ExitCode::kUsage) return Respond(error);
  if (service_.view()->jobs.Find(id)) return RespondConflict(error);
  const auto record = FindRecord(id);
  if (!record) return Respond(record.error());
  return *record ? RespondConflict(error) : RespondNotFound(error);
}

HttpResponse Api::SetBudget(const HttpRequest& request, core::JobId id) const {
  const auto view = service_.view();
  const service::JobCard* card = view->jobs.Find(id);
  if (!card)
    return RespondRefusal({ExitCode::kUsage, "is not known, or ended long ago",
                           "job " + std::to_string(id), "ebb queue lists the jobs"},
                          id);
  const auto budget = BudgetFromJson(request.body, card->submission->job.checkpointable);
  return budget ? AskOfJob(service::ChangeBudget{id, 0, *budget}, id) : Respond(budget.error());
}

HttpResponse Api::Cancel(const HttpRequest&, core::JobId id) const {
  return AskOfJob(service::Cancel{id}, id);
}
HttpResponse Api::Pause(const HttpRequest&, core::JobId id) const {
  return AskOfJob(service::ControlJob{id, engine::JobControl::kHold}, id);
}
HttpResponse Api::Resume(const HttpRequest&, core::JobId id) const {
  return AskOfJob(service::ControlJob{id, engine::JobControl::kNone}, id);
}
HttpResponse Api::Now(const HttpRequest&, core::JobId id) const {
  return AskOfJob(service::ControlJob{id, engine::JobControl::kNow}, id);
}

HttpResponse Api::Grid(const HttpRequest&, core::JobId) const {
  return Respond(SignalsToJson(*service_.view()) + "\n");
}

HttpResponse Api::Sites(const HttpRequest&, core::JobId) const {
  return RespondWith(SitesOf(*service_.view()));
}

HttpResponse Api::Tiers(const HttpRequest&, core::JobId) const {
  Json tiers = Json::array();
  for (const core::Tier& tier : options_.tiers) {
    tiers.push_back({{"name", tier.name},
                     {"threshold", tier.threshold ? Json(tier.threshold->g_per_kwh) : Json()},
                     {"max_delay_s", Seconds(tier.max_delay)},
                     {"priority", tier.priority}});
  }
  return Respond(Json{{"tiers", tiers}}.dump() + "\n");
}

HttpResponse Api::Recurring(const HttpRequest&, core::JobId) const {
  return Respond(RecurringToJson(*service_.view()) + "\n");
}

using To = service::ChangeRecurring::To;

HttpResponse Api::AskOfRecurring(const HttpRequest& request, To to) const {
  const auto result = AskOne(service::ChangeRecurring{QueryOf(request, "name"), to});
  return result ? RespondWith(Done{}, 202) : RespondUnknown(result.error());
}

HttpResponse Api::RemoveRecurring(const HttpRequest& request, core::JobId) const {
  return AskOfRecurring(request, To::kRemoved);
}

HttpResponse Api::PauseRecurring(const HttpRequest& request, core::JobId) const {
  return AskOfRecurring(request, To::kPaused);
}

HttpResponse Api::ResumeRecurring(const HttpRequest& request, core::JobId) const {
  return AskOfRecurring(request, To::kResumed);
}

// The state of a device that the name clearly means may not allow the change.
HttpResponse Api::AskOfDevice(service::ChangeDevice change) const {
  const std::string name = change.name;
  const auto result = AskOne(std::move(change));
  if (result) return RespondWith(DeviceDone{result->device}, 202);
  const auto meant = local::DevicesNamed(service_.view()->devices, name).size();
  if (result.error().code != ExitCode::kUsage || meant > 1) return Respond(result.error());
  return meant == 0 ? RespondNotFound(result.error()) : RespondConflict(result.error());
}

HttpResponse Api::SetDeviceAside(const HttpRequest& request, core::JobId) const {
  return AskOfDevice(
      {QueryOf(request, "name"), service::ChangeDevice::To::kSetAside, QueryOf(request, "why")});
}

HttpResponse Api::PutDeviceBack(const HttpRequest& request, core::JobId) const {
  return AskOfDevice({QueryOf(request, "name"), service::ChangeDevice::To::kPutBack});
}

HttpResponse Api::ForgetDevice(const HttpRequest& request, core::JobId) const {
  return AskOfDevice({QueryOf(request, "name"), service::ChangeDevice::To::kForgotten});
}

HttpResponse Api::Drain(const HttpRequest&, core::JobId) const {
  return RespondWith(DrainAnswer(*service_.view()));
}

// The engine has decided by the time of the answer, so the view shows the effect on each job.
HttpResponse Api::AskToDrain(service::ChangeDrain change) const {
  const auto result = AskOne(std::move(change));
  if (!result) return Respond(result.error());
  return RespondWith(DrainAnswer(*service_.view()), 202);
}

HttpResponse Api::BeginDrain(const HttpRequest& request, core::JobId) const {
  service::ChangeDrain change;
  change.why = QueryOf(request, "why");
  if (const auto within = ParseDuration(QueryOf(request, "until")))
    change.within = *within;
  else
    change.until = TimeOf(request, "until");
  return AskToDrain(std::move(change));
}

HttpResponse Api::EndDrain(const HttpRequest&, core::JobId) const {
  return AskToDrain({.end = true});
}

HttpResponse Api::Events(const HttpRequest& request, core::JobId) const {
  HttpResponse response;
  response.content_type = "text/event-stream";
  response.with_token = HasToken(request, options_.access.token);
  response.headers.emplace_back("Cache-Control", "no-store");
  const std::string asked = QueryOf(request, "view");
  auto live = std::make_shared<LiveView>(asked == "whole"  ? LiveParts::kWhole
                                         : asked == "rows" ? LiveParts::kRows
                                                           : LiveParts::kStatus);
  response.stream = [this, live](const StreamWriter& write) {
    auto view = service_.WaitForNewer(live->version(), std::chrono::milliseconds{1000});
    if (view->version == live->version()) return write(": still there\n\n");
    if (!live->Tell(std::move(view), write)) return false;
    // Events that come together are sent together.
    std::this_thread::sleep_for(kBetweenEvents);
    return true;
  };
  return response;
}

Health Api::HealthNow(const service::View& view) const {
  const auto now = std::chrono::steady_clock::now();
  return HealthOf(view, service_.GridNow(), now, service_.BusyFor(now), service_.Doing());
}

HttpResponse Api::Alive(const HttpRequest&, core::JobId) const {
  const Health health = HealthNow(*service_.view());
  return Respond(HealthToJson(health), health.hangs ? 503 : 200);
}

HttpResponse Api::Ready(const HttpRequest&, core::JobId) const {
  const Health health = HealthNow(*service_.view());
  return Respond(HealthToJson(health), health.Ready() ? 200 : 503);
}

HttpResponse Api::Metrics(const HttpRequest& request, core::JobId) const {
  const std::string names = QueryOf(request, "names");
  const auto view = service_.view();
  HttpResponse response;
  response.content_type = kExpositionContentType;
  const Health health = HealthNow(*view);
  const Time now = service_.GridNow();
  if (names == "compute-gardener")
    response.body = CompatibleMetricsText(*view, health, now, options_.metrics);
  else
    response.body =
        MetricsText(*view, health, now, options_.metrics,
                    options_.notifications ? options_.notifications() : WebhookCounts{});
  return response;
}

HttpResponse Api::Forecast(const HttpRequest& request, core::JobId) const {
  const auto view = service_.view();
  CarbonAwareQuestion question{QueryOf(request, "location"), {}, {}, {}};
  const auto signal = SignalOfLocation(*view, question.location);
  if (!signal) return RespondUnknown(signal.error());
  question.begin = TimeOf(request, "dataStartAt");
  question.end = TimeOf(request, "dataEndAt");
  if (question.begin && question.end && *question.begin >= *question.end)
    return Respond(Error{ExitCode::kUsage, "must be before dataEndAt", "dataStartAt", ""});
  if ((*signal)->forecast.series.empty())
    return Respond(ErrorToJson({ExitCode::kUnavailable, "the signal has no forecast", "", ""}),
                   501);
  question.window = std::chrono::minutes{NumberOf(request, WindowMinutes())};
  CarbonAwareForecast answer = CarbonAwareForecastOf(**signal, question);
  answer.requested = service_.GridNow();
  return Respond(ToJson(answer) + "\n");
}

HttpResponse Api::Emissions(const HttpRequest& request, core::JobId) const {
  const auto view = service_.view();
  const std::string location = QueryOf(request, "location");
  const auto signal = SignalOfLocation(*view, location);
  if (!signal) return RespondUnknown(signal.error());
  const Time begin = TimeOf(request, "time").value_or(service_.GridNow());
  const Time end = TimeOf(request, "toTime").value_or(begin);
  const Interval window{begin, std::max(end, begin) + Duration{1}};
  return Respond(CarbonAwareEmissionsJson((*signal)->known, window, location) + "\n");
}

}  // namespace ebb::web
