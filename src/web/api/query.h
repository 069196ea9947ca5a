#pragma once
// What routes are asked for in the query of their address, beyond texts and numbers
// (web/http/responses.h).

#include <optional>
#include <vector>

#include "engine/decision.h"
#include "web/http/http_server.h"

namespace ebb::web {

/// Stages with commas between, as ?stage= has them; empty: all.
Result<std::vector<engine::Stage>> StagesOf(const std::string& text);
/// A time in the query; nothing where there is none.
Result<std::optional<Time>> QueryTime(const HttpRequest& request, const char* name);
/// The same, or a duration: so long before `now`.
Result<std::optional<Time>> QueryPast(const HttpRequest& request, const char* name, Time now);

}  // namespace ebb::web
