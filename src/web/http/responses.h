#pragma once
// Answers that many routes give, and what they ask for.

#include <optional>
#include <string>

#include "web/http/http_server.h"

namespace ebb::web {

HttpResponse Respond(std::string body, int status = 200);
/// What an Error means in HTTP.
HttpResponse Respond(const Error& error);
HttpResponse NotFound(const std::string& what);

/// "" where it is not given.
std::string QueryOf(const HttpRequest& request, const char* name);
/// A number within limits, or what holds where none is given; nothing for anything else.
std::optional<long long> QueryNumber(const HttpRequest& request, const char* name,
                                     long long otherwise, long long most);

}  // namespace ebb::web
