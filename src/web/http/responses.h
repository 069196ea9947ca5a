#pragma once
// Answers that many routes give, and what they ask for.

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
/// What an Error means in HTTP.
HttpResponse Respond(const Error& error);
HttpResponse NotFound(const std::string& what);
/// 409: the key of a submission was known for something else.
Error ConflictOf(const std::string& what);
HttpResponse RespondConflict(const std::string& what);

/// "" where it is not given.
std::string QueryOf(const HttpRequest& request, const char* name);
/// A number within limits, or what holds where none is given; nothing for anything else.
std::optional<long long> QueryNumber(const HttpRequest& request, const char* name,
                                     long long otherwise, long long most);

}  // namespace ebb::web
