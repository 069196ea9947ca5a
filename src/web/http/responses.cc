#include "web/http/responses.h"

#include "base/text.h"
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
  return Respond(ErrorToJson({ExitCode::kUsage, what, "", ""}), 404);
}

Error ConflictOf(const std::string& what) {
  return {ExitCode::kUsage, what, "key", "submit the same again, or choose another key"};
}

HttpResponse RespondConflict(const std::string& what) {
  return Respond(ErrorToJson(ConflictOf(what)), 409);
}

std::string QueryOf(const HttpRequest& request, const char* name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? "" : found->second;
}

std::optional<long long> QueryNumber(const HttpRequest& request, const char* name,
                                     long long otherwise, long long most) {
  const std::string text = QueryOf(request, name);
  if (text.empty()) return otherwise;
  const auto number = ParseInteger(text);
  if (!number || *number < 0 || *number > most) return std::nullopt;
  return number;
}

}  // namespace ebb::web
