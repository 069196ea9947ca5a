#include "web/api/query.h"

#include "base/text.h"
#include "web/http/responses.h"

namespace ebb::web {

Result<std::vector<engine::Stage>> StagesOf(const std::string& text) {
  std::vector<engine::Stage> stages;
  if (text.empty()) return stages;
  for (const std::string_view name : Split(text, ',')) {
    const auto stage = engine::StageFromName(name);
    if (!stage)
      return Fail({ExitCode::kUsage, "\"" + std::string(name) + "\" is not a stage", "stage",
                   "waiting, starting, running, pausing, paused, succeeded, failed, cancelled"});
    stages.push_back(*stage);
  }
  return stages;
}

Result<std::optional<Time>> QueryTime(const HttpRequest& request, const char* name) {
  const std::string text = QueryOf(request, name);
  if (text.empty()) return std::optional<Time>();
  const auto time = ParseTime(text);
  if (!time)
    return Fail({ExitCode::kUsage, "\"" + text + "\" is not a time", name,
                 "give e.g. 2026-03-01T12:00Z; a + in an address is written %2B"});
  return std::optional(*time);
}

Result<std::optional<Time>> QueryPast(const HttpRequest& request, const char* name, Time now) {
  if (const auto ago = ParseDuration(QueryOf(request, name))) return std::optional(now - *ago);
  return QueryTime(request, name);
}

}  // namespace ebb::web
