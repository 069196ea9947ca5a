#include "cli/follow_log.h"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "engine/decision.h"
#include "engine/state.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kBetweenParts{500};

std::string PathOf(long long job) { return "/api/v1/jobs/" + std::to_string(job); }

// Prints the output from `offset` on, and moves `offset` to its end.
Status PrintRest(const app::ServiceClient& client, long long job, long long attempt,
                 long long& offset) {
  for (;;) {
    EBB_ASSIGN_OR_RETURN(const auto part,
                         client.GetWhole(PathOf(job) + "/log?attempt=" + std::to_string(attempt) +
                                         "&offset=" + std::to_string(offset)));
    if (part.body.empty()) return {};
    const auto next = part.headers.find("ebb-next-offset");
    const auto size = static_cast<long long>(part.body.size());
    const long long end = next == part.headers.end()
                              ? offset + size
                              : ParseInteger(next->second).value_or(offset + size);
    if (end - size > offset)
      std::fprintf(stderr, "ebb logs: %lld bytes before this are no longer kept\n",
                   end - size - offset);
    std::fwrite(part.body.data(), 1, part.body.size(), stdout);
    std::fflush(stdout);
    offset = end;
  }
}

struct State {
  long long attempt = 0;
  bool has_ended = false;
};

// Returns nothing if somebody asked to stop.
Result<std::optional<State>> Ask(PatientClient& client, long long job) {
  EBB_ASSIGN_OR_RETURN(const auto answer, client.Get(PathOf(job)));
  if (!answer) return std::optional<State>();
  const Json json = Json::parse(*answer, nullptr, false);
  if (!json.is_object())
    return Fail({ExitCode::kUnavailable, "the service's answer is not a job", "", ""});
  const auto stage = engine::StageFromName(json.value("stage", ""));
  return std::optional(State{json.value("attempt", 0LL), stage && engine::HasEnded(*stage)});
}

}  // namespace

Result<int> PrintLog(const app::ServiceClient& client, long long job, long long attempt) {
  if (attempt == 0) {
    EBB_ASSIGN_OR_RETURN(const std::string answer, client.Get(PathOf(job)));
    const Json json = Json::parse(answer, nullptr, false);
    if (json.is_object()) attempt = json.value("attempt", 0LL);
  }
  long long offset = 0;
  EBB_RETURN_IF_ERROR(PrintRest(client, job, attempt, offset));
  return 0;
}

Result<int> FollowLog(PatientClient& client, long long job, std::optional<long long> attempt) {
  long long shown = attempt.value_or(0), offset = 0;
  for (;;) {
    // The state is asked for first, so that no output is missed at the end of the log.
    EBB_ASSIGN_OR_RETURN(const std::optional<State> state, Ask(client, job));
    if (!state) return 130;
    if (shown == 0) shown = state->attempt;
    const Status printed = PrintRest(client.client(), job, shown, offset);
    // A job that has not printed anything yet gives a usage error.
    const bool is_away = !printed && printed.error().code != ExitCode::kUsage;
    if (!is_away && !attempt && state->attempt > shown) {
      shown = state->attempt;
      offset = 0;
    } else if (!is_away && state->has_ended) {
      return 0;
    }
    if (client.Pause(kBetweenParts)) return 130;
  }
}

}  // namespace ebb::cli
