#pragma once
// Reads typed values from the query of a request, beyond the texts and numbers of
// web/http/responses.h.

#include <optional>
#include <vector>

#include "engine/decision.h"
#include "web/http/http_server.h"

namespace ebb::web {

/// Stages separated by commas, as in ?stage=; empty means all stages.
Result<std::vector<engine::Stage>> StagesOf(const std::string& text);
/// A time in the query; nullopt if the query does not give it.
Result<std::optional<Time>> QueryTime(const HttpRequest& request, const char* name);
/// A time in the query, or a duration that is counted back from `now`; nullopt if the query does
/// not give it.
Result<std::optional<Time>> QueryPast(const HttpRequest& request, const char* name, Time now);

}  // namespace ebb::web
