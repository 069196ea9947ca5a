#include <algorithm>
#include <string>

#include "engine/journal_json.h"

namespace ebb::engine {
namespace {

// The place where two lines begin to differ, with some text around it.
std::string Difference(const std::string& stored, const std::string& now) {
  std::size_t at = 0;
  while (at < stored.size() && at < now.size() && stored[at] == now[at]) ++at;
  const std::size_t from = at > 40 ? at - 40 : 0;
  return "stored ..." + stored.substr(from, 120) + "..., now ..." + now.substr(from, 120) + "...";
}

// The decision as older versions recorded it: with explanations in which only numbers changed, by
// job.
Decision WithRestated(Decision decision) {
  std::vector<Explanation>& all = decision.explanations;
  all.insert(all.end(), decision.restated.begin(), decision.restated.end());
  std::sort(all.begin(), all.end(),
            [](const Explanation& a, const Explanation& b) { return a.job < b.job; });
  decision.restated.clear();
  return decision;
}

}  // namespace

Status Replay(std::span<const JournalRecord> records, Engine& engine) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::string where = "journal record " + std::to_string(i + 1);
    if (const auto* event = std::get_if<Event>(&records[i])) {
      if (auto taken = engine.Reapply(*event); !taken) {
        return Fail({ExitCode::kConfiguration,
                     "is refused, though it was taken before: " + taken.error().Message(), where,
                     "was the journal written with other options?"});
      }
      continue;
    }
    const std::string stored = ToJsonLine(records[i]);
    const auto& decision = std::get<Decision>(records[i]);
    const Decision again = engine.Decide(decision.at, decision.planning);
    const std::string now = ToJsonLine(again);
    if (stored != now && ToJsonLine(WithRestated(decision)) != ToJsonLine(WithRestated(again))) {
      return Fail({ExitCode::kConfiguration, "is decided differently: " + Difference(stored, now),
                   where, "was the journal written with another policy or version?"});
    }
  }
  return {};
}

}  // namespace ebb::engine
