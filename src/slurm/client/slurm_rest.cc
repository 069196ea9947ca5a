#include "slurm/client/slurm_rest.h"

#include "base/json_node.h"
#include "base/text.h"
#include "platform/web_address.h"
#include "slurm/client/rest_json.h"

namespace ebb::slurm {
namespace {

constexpr int kUnauthorized = 401, kForbidden = 403, kNotFound = 404, kNetworkAuthentication = 511;

class SlurmRest final : public SlurmClient {
 public:
  SlurmRest(RestTransport transport, std::unique_ptr<SlurmClient> commands)
      : transport_(std::move(transport)), commands_(std::move(commands)) {}

  Result<std::pair<std::string, std::string>> Identity() override { return commands_->Identity(); }

  Result<std::vector<SlurmJob>> Jobs() override {
    EBB_ASSIGN_OR_RETURN(const std::string body, Ask("GET", "jobs/"));
    EBB_ASSIGN_OR_RETURN(RestJobs jobs, ReadRestJobs(body));
    if (!jobs.is_complete) return commands_->Jobs();
    return std::move(jobs.jobs);
  }

  Result<std::vector<SlurmNode>> Nodes() override {
    EBB_ASSIGN_OR_RETURN(const std::string body, Ask("GET", "nodes/"));
    return ReadRestNodes(body);
  }

  Result<std::vector<SlurmJob>> Accounted(const std::vector<std::string>& ids) override {
    EBB_ASSIGN_OR_RETURN(const RestApi api, Api());
    if (!api.has_accounting) return commands_->Accounted(ids);
    const std::string query = "jobs/?step=" + platform::UrlEscape(Join(ids, ","));
    EBB_ASSIGN_OR_RETURN(const std::string body, Send({"GET", api.slurmdb() + query}));
    return ReadRestAccounting(body);
  }

  Result<ControllerLoad> Load() override { return commands_->Load(); }
  Result<std::string> Submit(const BatchJob& job) override { return commands_->Submit(job); }

  Status Update(const JobUpdate& update) override {
    EBB_ASSIGN_OR_RETURN(const RestApi api, Api());
    // Names of members for sizes differ from version to version.
    if (!Changes(api, update.id) || !update.size.empty()) return commands_->Update(update);
    return Change("POST", update.id, RestUpdate(update, api.version));
  }
  Status Release(const std::string& id) override {
    EBB_ASSIGN_OR_RETURN(const RestApi api, Api());
    if (!Changes(api, id)) return commands_->Release(id);
    return Change("POST", id, R"({"hold":false})");
  }

  Status RequeueHeld(const std::string& id) override { return commands_->RequeueHeld(id); }
  Status Signal(const std::string& id, const std::string& signal) override {
    return commands_->Signal(id, signal);
  }

  Status Cancel(const std::string& id) override {
    EBB_ASSIGN_OR_RETURN(const RestApi api, Api());
    if (!Changes(api, id)) return commands_->Cancel(id);
    return Change("DELETE", id, "");
  }

 private:
  // Newer versions refuse to change a single element of an array, or component of a job.
  static bool Changes(const RestApi& api, const std::string& id) {
    return api.takes_parts() || id.find_first_of("_+") == std::string::npos;
  }

  // A component of a heterogeneous job has a plus sign in its id.
  Status Change(const std::string& method, const std::string& id, const std::string& body) {
    EBB_ASSIGN_OR_RETURN(const std::string answer,
                         Ask(method, "job/" + platform::UrlEscape(id), body));
    return ReadRestDone(answer);
  }

  Result<RestApi> Api() {
    if (!api_) {
      EBB_ASSIGN_OR_RETURN(const std::string body, Send({"GET", "/openapi/v3"}));
      EBB_ASSIGN_OR_RETURN(api_, ReadRestApi(body));
    }
    return *api_;
  }

  Result<std::string> Ask(const std::string& method, const std::string& path,
                          const std::string& body = "") {
    EBB_ASSIGN_OR_RETURN(const RestApi api, Api());
    return Send({method, api.slurm() + path, body});
  }

  // Returns the body of any answer in JSON, because it says what Slurm refuses.
  Result<std::string> Send(const RestCall& call) {
    EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, transport_(call));
    switch (answer.status) {
      case kUnauthorized:
      case kForbidden:
      case kNetworkAuthentication:
        return Fail({ExitCode::kConfiguration, "slurmrestd does not accept the token", call.path,
                     "make one with: scontrol token lifespan=SECONDS"});
      case kNotFound:
        api_.reset();  // an upgrade may have taken this version away
        break;
      default:
        break;
    }
    if (answer.status >= 400 && !answer.body.starts_with('{'))
      return Fail(BadAnswer("status " + std::to_string(answer.status), answer.body, call.path));
    return std::move(answer.body);
  }

  RestTransport transport_;
  std::unique_ptr<SlurmClient> commands_;
  std::optional<RestApi> api_;
};

}  // namespace

std::unique_ptr<SlurmClient> MakeSlurmRest(RestTransport transport,
                                           std::unique_ptr<SlurmClient> commands) {
  return std::make_unique<SlurmRest>(std::move(transport), std::move(commands));
}

}  // namespace ebb::slurm
