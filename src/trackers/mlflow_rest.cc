#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_node.h"
#include "platform/file.h"
#include "platform/web_address.h"
#include "trackers/mlflow.h"
#include "trackers/mlflow_note.h"

namespace ebb::trackers {
namespace {

using Json = nlohmann::ordered_json;

// Limits of the call log-batch.
constexpr std::size_t kMostMetrics = 1000;
constexpr std::size_t kMostParameters = 100;
constexpr std::size_t kLongestParameter = 500;

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const char* StatusOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kDone:
      return "FINISHED";
    case Outcome::kFailed:
      return "FAILED";
    case Outcome::kKilled:
      return "KILLED";
    case Outcome::kPaused:
      return "SCHEDULED";
  }
  return "RUNNING";
}

// The text at a place in an answer; nullopt if there is none.
std::optional<std::string> TextAt(const JsonNode& answer, const char* pointer) {
  const JsonNode* found = answer.At(pointer);
  return found ? found->AsText() : std::nullopt;
}

class MlflowRest final : public Tracker {
 public:
  MlflowRest(MlflowServer server, std::filesystem::path note)
      : server_(std::move(server)), note_(std::move(note)) {}
  std::string name() const override { return "MLflow " + platform::ShownUrl(server_.url); }

  Status Begin(const TrackedRun& run) override {
    EBB_RETURN_IF_ERROR(FindOrCreateRun(run));
    std::size_t at = 0;
    while (at < run.configuration.size()) {
      Json parameters = Json::array();
      for (; at < run.configuration.size() && parameters.size() < kMostParameters; ++at) {
        const auto& [key, text] = run.configuration[at];
        parameters.push_back({{"key", key}, {"value", text.substr(0, kLongestParameter)}});
      }
      EBB_RETURN_IF_ERROR(Post("runs/log-batch", {{"run_id", id_}, {"params", parameters}}));
    }
    return {};
  }

  Status Log(std::span<const Value> values) override {
    while (!values.empty()) {
      const auto part = values.first(std::min(values.size(), kMostMetrics));
      Json metrics = Json::array();
      for (const Value& value : part)
        metrics.push_back({{"key", value.key},
                           {"value", value.value},
                           {"timestamp", Milliseconds(value.wall)},
                           {"step", value.step}});
      EBB_RETURN_IF_ERROR(Post("runs/log-batch", {{"run_id", id_}, {"metrics", metrics}}));
      values = values.subspan(part.size());
    }
    return {};
  }

  Status End(Outcome outcome, Time wall) override { return Update(StatusOf(outcome), wall); }

  // A run that the server does not know, or that somebody deleted there, needs no end.
  Status EndEarlier(Outcome outcome, Time wall) override {
    const auto id = RunIn(note_, server_.url);
    if (!id) return {};
    const Json body{
        {"run_id", *id}, {"status", StatusOf(outcome)}, {"end_time", Milliseconds(wall)}};
    EBB_ASSIGN_OR_RETURN(const platform::HttpResponse answer, Ask("runs/update", &body));
    if (answer.status == 200 || answer.status == 400 || answer.status == 404) return {};
    return Fail(Refused(answer));
  }

 private:
  // A resumed run continues the run in the note if the server still knows it.
  Status FindOrCreateRun(const TrackedRun& run) {
    if (!id_.empty()) return {};
    if (run.resumed) {
      if (const auto id = RunIn(note_, server_.url)) {
        id_ = *id;
        if (Update("RUNNING", std::nullopt)) return {};
        id_.clear();
      }
    }
    EBB_ASSIGN_OR_RETURN(const std::string experiment, FindOrCreateExperiment(run.experiment));
    const Json tags = Json::array({{{"key", "mlflow.runName"}, {"value", run.name}},
                                   {{"key", "mlflow.source.name"}, {"value", "ebb"}},
                                   {{"key", "mlflow.source.type"}, {"value", "LOCAL"}},
                                   {{"key", "ebb.run_id"}, {"value", run.run_id}}});
    EBB_ASSIGN_OR_RETURN(const JsonNode answer,
                         Post("runs/create", {{"experiment_id", experiment},
                                              {"run_name", run.name},
                                              {"start_time", Milliseconds(run.begin)},
                                              {"tags", tags}}));
    const auto id = TextAt(answer, "/run/info/run_id");
    if (!id) return Fail(Unexpected("runs/create"));
    id_ = *id;
    return WriteRunNote(note_, server_.url, id_);
  }

  // nullopt if there is no experiment of that name.
  Result<std::optional<std::string>> FindExperiment(const std::string& name) {
    const std::string query =
        "experiments/get-by-name?experiment_name=" + platform::UrlEscape(name);
    EBB_ASSIGN_OR_RETURN(const platform::HttpResponse found, Ask(query, nullptr));
    if (found.status == 200) {
      const auto answer = ParseJson(found.body, server_.url);
      const auto id = answer ? TextAt(*answer, "/experiment/experiment_id") : std::nullopt;
      if (id) return id;
      return Fail(Unexpected("experiments/get-by-name"));
    }
    if (found.status != 404) return Fail(Refused(found));
    return std::nullopt;
  }

  Result<std::string> FindOrCreateExperiment(const std::string& name) {
    EBB_ASSIGN_OR_RETURN(const auto known, FindExperiment(name));
    if (known) return *known;
    const auto made = Post("experiments/create", {{"name", name}});
    if (!made) {
      // Names are unique: another run that began at the same moment may have made the experiment.
      EBB_ASSIGN_OR_RETURN(const auto others, FindExperiment(name));
      if (others) return *others;
      return Fail(made.error());
    }
    const auto id = TextAt(*made, "/experiment_id");
    if (!id) return Fail(Unexpected("experiments/create"));
    return *id;
  }

  Status Update(const char* status, std::optional<Time> end) {
    Json body{{"run_id", id_}, {"status", status}};
    if (end) body["end_time"] = Milliseconds(*end);
    EBB_RETURN_IF_ERROR(Post("runs/update", body));
    return {};
  }

  Result<platform::HttpResponse> Ask(const std::string& call, const Json* body) {
    platform::HttpRequest request;
    request.url = server_.url + "/api/2.0/mlflow/" + call;
    request.headers = {"Content-Type: application/json"};
    if (!server_.token.empty()) request.headers.push_back("Authorization: Bearer " + server_.token);
    request.user_password = server_.user_password;
    request.timeout = server_.timeout;
    request.cancelled = server_.cancelled;
    if (!body) return platform::HttpGet(request);
    request.body = Dump(*body);
    return platform::HttpPost(request);
  }

  Result<JsonNode> Post(const std::string& call, const Json& body) {
    EBB_ASSIGN_OR_RETURN(const platform::HttpResponse answer, Ask(call, &body));
    if (answer.status != 200) return Fail(Refused(answer));
    auto json = ParseJson(answer.body.empty() ? "{}" : answer.body, server_.url);
    if (!json || !json->is_object()) return Fail(Unexpected(call));
    return json;
  }

  Error Unexpected(const std::string& call) const {
    return {ExitCode::kUnavailable, "the answer to " + call + " is not MLflow's",
            platform::ShownUrl(server_.url), "is it the address of an MLflow server?"};
  }
  Error Refused(const platform::HttpResponse& answer) const {
    const auto json = ParseJson(answer.body, server_.url);
    const auto message = json ? TextAt(*json, "/message") : std::nullopt;
    const bool access = answer.status == 401 || answer.status == 403;
    return {ExitCode::kUnavailable,
            "answers " + std::to_string(answer.status) + (message ? ": " + *message : ""),
            platform::ShownUrl(server_.url),
            access ? "set MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and _PASSWORD" : ""};
  }

  const MlflowServer server_;
  const std::filesystem::path note_;
  std::string id_;
};

}  // namespace

std::unique_ptr<Tracker> MakeMlflowRest(MlflowServer server, std::filesystem::path note) {
  while (server.url.ends_with('/')) server.url.pop_back();
  return std::make_unique<MlflowRest>(std::move(server), std::move(note));
}

}  // namespace ebb::trackers
