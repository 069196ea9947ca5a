#pragma once
// Answers and query parameters that many routes share.

#include <string>

#include "report/described_json.h"
#include "web/http/http_server.h"

namespace ebb::web {

HttpResponse Respond(std::string body, int status = 200);
/// An answer that describes itself.
template <typename T>
HttpResponse RespondWith(const T& answer, int status = 200) {
  return Respond(report::ToJson(answer) + "\n", status);
}
/// The answer for an Error, with the HTTP status that it means.
HttpResponse Respond(const Error& error);
HttpResponse NotFound(const std::string& what);
/// Status 404 for an Error about something that does not exist.
HttpResponse RespondNotFound(const Error& error);
/// Status 409 for an Error about something whose state does not allow the request.
HttpResponse RespondConflict(const Error& error);
/// The key of a submission belongs to a different submission.
Error ConflictOf(const std::string& what);

/// The value in the query; "" if it is not given.
std::string QueryOf(const HttpRequest& request, const char* name);

}  // namespace ebb::web
