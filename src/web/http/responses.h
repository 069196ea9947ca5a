#pragma once
// Answers and query parameters that many routes share.

#include <optional>
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
/// Status 409: the key of a submission belongs to a different submission.
Error ConflictOf(const std::string& what);
HttpResponse RespondConflict(const std::string& what);

/// The value in the query; "" if it is not given.
std::string QueryOf(const HttpRequest& request, const char* name);
/// A number from 0 to `most`, or `otherwise` if the query does not give it; nullopt for any other
/// value.
std::optional<long long> QueryNumber(const HttpRequest& request, const char* name,
                                     long long otherwise, long long most);

}  // namespace ebb::web
