#include "app/sweep/sweep_search.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/jobs/submit_file.h"
#include "base/text.h"
#include "config/sweep/sweep_config.h"
#include "platform/digest.h"
#include "platform/file.h"
#include "platform/path_facts.h"
#include "report/sweep/sweep_report.h"

namespace ebb::app {
namespace {

using Json = nlohmann::ordered_json;
using report::SweepOutcome;

constexpr Duration kBetweenLooks{1000};

struct Trials {
  std::vector<std::vector<sweep::Setting>> settings;  // settings of all trials, in order of their
                                                      // numbers
  std::vector<sweep::TrialResult> results;            // results of the trials that have ended
  std::size_t live = 0;
  SweepSearchEnd end;
};

Error NotASweep() {
  return {ExitCode::kUnavailable, "the service's answer is not a sweep", "", ""};
}

bool Is(const Json& row, SweepOutcome outcome) {
  return row.value("outcome", "") == report::Name(outcome);
}

// Adds a trial. A trial that a person cancelled says nothing about its parameters.
void Take(const Json& row, Trials& trials) {
  std::vector<sweep::Setting> settings;
  for (const auto& [name, value] : row.at("parameters").items())
    settings.push_back({name, sweep::Value::From(value.get<std::string>())});
  trials.settings.push_back(settings);
  const bool has_loss = row.contains("loss") && row["loss"].is_number();
  sweep::TrialResult result{std::move(settings)};
  if (Is(row, SweepOutcome::kDone) && has_loss) {
    result.loss = row["loss"];
    SweepSearchEnd& end = trials.end;
    if (!end.best_job || result.loss < end.best_loss) {
      end.best_job = row.value("job", 0LL);
      end.best_name = row.value("name", "");
      end.best_loss = result.loss;
    }
  } else if (!Is(row, SweepOutcome::kDone) && !Is(row, SweepOutcome::kFailed) &&
             !Is(row, SweepOutcome::kStoppedEarly)) {
    trials.live += Is(row, SweepOutcome::kCancelled) ? 0 : 1;
    return;
  }
  trials.results.push_back(std::move(result));
}

class Search {
 public:
  Search(const SweepSearchRequest& request, config::SweepSearch search, ServiceClient client,
         std::string key, std::string working_directory)
      : request_(request),
        search_(std::move(search)),
        client_(std::move(client)),
        options_{std::move(working_directory), std::move(key), {}, false, {}} {}

  Result<SweepSearchEnd> Run() {
    // The first trial is the same at every call, so submitting it finds or begins the sweep.
    EBB_RETURN_IF_ERROR(Submit({}, 0));
    request_.say("sweep " + std::to_string(sweep_) + ": ebb queue --sweep " +
                 std::to_string(sweep_));
    for (;;) {
      EBB_ASSIGN_OR_RETURN(Trials trials, Look());
      const std::size_t count = trials.settings.size();
      if (count >= search_.plan.trials && trials.live == 0) {
        trials.end.over = true;
        return trials.end;
      }
      if (count < search_.plan.trials && trials.live < search_.plan.parallel) {
        EBB_RETURN_IF_ERROR(Submit(trials, count));
        continue;
      }
      if (request_.pause(kBetweenLooks)) return trials.end;
    }
  }

 private:
  Status Submit(const Trials& trials, std::size_t number) {
    const sweep::SearchPlan& plan = search_.plan;
    EBB_ASSIGN_OR_RETURN(
        sweep::Experiment experiment,
        search_.Trial(trials.settings,
                      ProposeTrial(plan.parameters, trials.results, number, plan.seed, plan.tpe)));
    sweep::Sweep one = search_.config.sweep;
    const std::string what = sweep::Describe(experiment);
    one.experiments = {std::move(experiment)};
    EBB_ASSIGN_OR_RETURN(const std::string answer,
                         client_.Post("/api/v1/sweeps", SweepBody(one, options_)));
    const Json json = Json::parse(answer, nullptr, false);
    if (!json.is_object() || !json.contains("jobs") || json["jobs"].empty())
      return Fail(NotASweep());
    const Json& job = json["jobs"][0];
    if (!job.contains("id"))
      return Fail({ExitCode::kInfeasible, job.value("/error/what"_json_pointer, std::string()),
                   "trial " + std::to_string(number + 1), ""});
    sweep_ = json.value("sweep", core::SweepId{0});
    if (!job.value("existing", false))
      request_.say("trial " + std::to_string(number + 1) + " of " + std::to_string(plan.trials) +
                   ": job " + job["id"].dump() + ", " + Printable(what));
    return {};
  }

  Result<Trials> Look() {
    EBB_ASSIGN_OR_RETURN(const std::string answer,
                         client_.Get("/api/v1/sweeps/" + std::to_string(sweep_)));
    Json json = Json::parse(answer, nullptr, false);
    Trials trials;
    try {
      std::vector<Json> rows = json.at("experiments");
      std::ranges::sort(rows, {}, [](const Json& row) { return row.at("job").get<long long>(); });
      for (const Json& row : rows) Take(row, trials);
    } catch (const Json::exception&) {
      return Fail(NotASweep());
    }
    trials.end.sweep = sweep_;
    trials.end.trials = trials.settings.size();
    return trials;
  }

  const SweepSearchRequest& request_;
  const config::SweepSearch search_;
  const ServiceClient client_;
  const SubmitOptions options_;
  core::SweepId sweep_ = 0;
};

}  // namespace

Result<SweepSearchEnd> RunSweepSearch(const SweepSearchRequest& request) {
  EBB_ASSIGN_OR_RETURN(config::SweepSearch search, config::LoadSweepSearch(request.file));
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(request.file));
  EBB_ASSIGN_OR_RETURN(ServiceClient client, ServiceClient::Find(request.service));
  EBB_RETURN_IF_ERROR(client.CheckToken());
  // A file with another text is another search.
  std::string key = search.config.sweep.name + "-" + platform::Sha256Hex(text).substr(0, 16);
  EBB_ASSIGN_OR_RETURN(const std::filesystem::path here, platform::WorkingDirectory());
  return Search(request, std::move(search), std::move(client), std::move(key), here.string()).Run();
}

}  // namespace ebb::app
