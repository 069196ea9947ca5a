#pragma once
// The HTTP API (docs/api.md): pure handlers over the service's view, and requests to its inbox.
//
// Thread contract: Handle from any number of threads.

#include <filesystem>
#include <string>

#include "plan/gate_policy.h"
#include "report/sweep/sweep_report.h"
#include "service/service.h"
#include "web/answers/sweep_json.h"
#include "web/api/access.h"
#include "web/api/parameters.h"
#include "web/api/rate_limit.h"
#include "web/api/store_reader.h"
#include "web/http/http_server.h"
#include "web/metrics/metrics.h"
#include "web/requests/submission_json.h"

namespace ebb::web {

struct ApiOptions {
  AccessOptions access;
  /// The counts of notifications; empty if there are no webhooks.
  std::function<WebhookCounts()> notifications;
  MetricsOptions metrics;  ///< includes the version of Ebb
  std::vector<core::Tier> tiers = core::PublishedTiers();
  std::filesystem::path store;
  /// Limit on requests that change something, from one address. It does not limit the work of the
  /// service itself.
  RateLimitOptions changes{5000, 50'000, 4096};
  /// Limit on requests without the right token from one address. Requests with the token are not
  /// limited.
  RateLimitOptions failures{5, 50, 4096};
};

class Api {
 public:
  /// The service must outlive the API and all its streams.
  Api(service::Service& service, ApiOptions options)
      : service_(service),
        options_(std::move(options)),
        reader_(options_.store),
        changes_(options_.changes),
        failures_(options_.failures) {}

  HttpResponse Handle(const HttpRequest& request);

  struct Route {
    std::string method;
    std::string path;  ///< "{id}" stands for a number
    std::string summary;
    HttpResponse (Api::*handle)(const HttpRequest&, core::JobId) const;
    /// The schema of the answer; nullptr if docs/api.md describes it.
    std::string (*answer)(report::Schemas&) = nullptr;
    std::string body{};  ///< name of the body's schema; empty if the route takes no body
    std::vector<Parameter> parameters{};  ///< in the query
  };
  static const std::vector<Route>& Routes();

 private:
  static std::vector<Route> JobRoutes();
  static std::vector<Route> SweepRoutes();
  static std::vector<Route> RecurringAndDeviceRoutes();
  static std::vector<Route> GridAndServiceRoutes();
  HttpResponse Status(const HttpRequest&, core::JobId) const;
  HttpResponse Jobs(const HttpRequest& request, core::JobId) const;
  HttpResponse History(const HttpRequest& request, core::JobId) const;
  HttpResponse Submit(const HttpRequest& request, core::JobId) const;
  HttpResponse Job(const HttpRequest&, core::JobId id) const;
  HttpResponse Log(const HttpRequest& request, core::JobId id) const;
  HttpResponse Series(const HttpRequest& request, core::JobId id) const;
  HttpResponse Cancel(const HttpRequest&, core::JobId id) const;
  HttpResponse EditJob(const HttpRequest& request, core::JobId id) const;
  HttpResponse RestartJob(const HttpRequest& request, core::JobId id) const;
  HttpResponse Pause(const HttpRequest&, core::JobId id) const;
  HttpResponse Resume(const HttpRequest&, core::JobId id) const;
  HttpResponse Now(const HttpRequest&, core::JobId id) const;
  HttpResponse MachineEnergy(const HttpRequest& request, core::JobId) const;
  HttpResponse ForecastRecord(const HttpRequest&, core::JobId) const;
  HttpResponse Saved(const HttpRequest&, core::JobId) const;
  HttpResponse Sweeps(const HttpRequest& request, core::JobId) const;
  HttpResponse SubmitSweep(const HttpRequest& request, core::JobId) const;
  HttpResponse Sweep(const HttpRequest&, core::SweepId id) const;
  HttpResponse SetBudget(const HttpRequest& request, core::JobId id) const;
  HttpResponse CancelSweep(const HttpRequest&, core::SweepId id) const;
  HttpResponse SetSweepBudget(const HttpRequest& request, core::SweepId id) const;
  HttpResponse Grid(const HttpRequest&, core::JobId) const;
  HttpResponse Sites(const HttpRequest&, core::JobId) const;
  HttpResponse Tiers(const HttpRequest&, core::JobId) const;
  HttpResponse Recurring(const HttpRequest&, core::JobId) const;
  HttpResponse RemoveRecurring(const HttpRequest& request, core::JobId) const;
  HttpResponse PauseRecurring(const HttpRequest& request, core::JobId) const;
  HttpResponse ResumeRecurring(const HttpRequest& request, core::JobId) const;
  HttpResponse SetDeviceAside(const HttpRequest& request, core::JobId) const;
  HttpResponse PutDeviceBack(const HttpRequest& request, core::JobId) const;
  HttpResponse ForgetDevice(const HttpRequest& request, core::JobId) const;
  HttpResponse Drain(const HttpRequest&, core::JobId) const;
  HttpResponse BeginDrain(const HttpRequest& request, core::JobId) const;
  HttpResponse EndDrain(const HttpRequest&, core::JobId) const;
  HttpResponse Events(const HttpRequest& request, core::JobId) const;
  HttpResponse Alive(const HttpRequest&, core::JobId) const;
  HttpResponse Ready(const HttpRequest&, core::JobId) const;
  HttpResponse Metrics(const HttpRequest& request, core::JobId) const;
  HttpResponse Emissions(const HttpRequest& request, core::JobId) const;
  HttpResponse Forecast(const HttpRequest& request, core::JobId) const;
  HttpResponse OpenApi(const HttpRequest&, core::JobId) const;
  Health HealthNow(const service::View& view) const;
  SubmissionDefaults Defaults() const;
  /// The submission of a job that has ended, to be submitted again; an Error if the job has not
  /// ended.
  Result<service::Submit> SubmissionAgain(core::JobId id, const Restart& restart) const;
  HttpResponse AskOfJob(service::Request request, core::JobId job) const;
  HttpResponse AskOfRecurring(const HttpRequest& request, service::ChangeRecurring::To to) const;
  /// The answer for the Error of a change of a job.
  HttpResponse RespondRefusal(const Error& error, core::JobId id) const;
  Result<service::Answer> AskOne(service::Request request) const;
  HttpResponse AskOfDevice(service::ChangeDevice change) const;
  HttpResponse AskToDrain(service::ChangeDrain change) const;
  /// The longest time that a request waits for the service's loop.
  static constexpr std::chrono::seconds kPatience{30};
  /// The answers to all requests, in order; an Error if the service takes too long.
  Result<std::vector<Result<service::Answer>>> AskAll(std::vector<service::Request> requests) const;
  Result<std::vector<SweepLine>> ReadSweeps(const store::SweepFilter& filter) const;
  /// The report of a sweep; nullopt if there is no such sweep.
  Result<std::optional<report::SweepReport>> ReadSweep(core::SweepId id) const;
  /// Adds the newest sweeps, and the losses of the experiments that their charts show.
  void SaveSweeps(std::map<std::string, std::string>& answers) const;
  /// The stored record of a job; nullopt if there is no such job.
  Result<std::optional<store::JobRecord>> FindRecord(core::JobId id) const;

  service::Service& service_;
  ApiOptions options_;
  mutable StoreReader reader_;
  RateLimit changes_, failures_;
};

}  // namespace ebb::web
