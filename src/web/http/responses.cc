#include "web/http/responses.h"

#include "web/answers/job_json.h"

namespace ebb::web {

HttpResponse Respond(std::string body, int status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse Respond(const Error& error) {
  int status = 500;
  switch (error.code) {
    case ExitCode::kUsage:
    case ExitCode::kConfiguration:
      status = 400;
      break;
    case ExitCode::kInfeasible:
    case ExitCode::kCommandNotFound:
    case ExitCode::kCommandNotExecutable:
      status = 422;
      break;
    case ExitCode::kUnavailable:
    case ExitCode::kTryLater:
      status = 503;
      break;
    default:
      break;
  }
  return Respond(ErrorToJson(error), status);
}

HttpResponse NotFound(const std::string& what) {
  return RespondNotFound({ExitCode::kUsage, what, "", ""});
}

HttpResponse RespondNotFound(const Error& error) { return Respond(ErrorToJson(error), 404); }

HttpResponse RespondConflict(const Error& error) { return Respond(ErrorToJson(error), 409); }

Error ConflictOf(const std::string& what) {
  return {ExitCode::kUsage, what, "key", "submit the same again, or choose another key"};
}

std::string QueryOf(const HttpRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

}  // namespace ebb::web
