#pragma once
// How many sequences pass through a model at once. The samples of an update, and so its gradient,
// do not depend on it; memory, speed and energy do. A checkpoint stores the size and what is known
// of other sizes (micro_batch_search.h), because dropout draws by micro-batch.

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ebb::train {

/// The measurements of some updates with one size.
struct MicroBatchTrial {
  std::size_t size = 0;
  std::int64_t updates = 0;  ///< tried with this size, those that do not count included
  std::int64_t counted = 0;  ///< updates that tokens, seconds and joules are of
  std::int64_t tokens = 0;
  double seconds = 0;
  std::optional<double> joules = 0;  ///< nullopt: unknown for some of the updates
  bool fits = true;                  ///< false: memory ran out

  std::optional<double> TokensPerSecond() const;  ///< nullopt: nothing was counted
  std::optional<double> TokensPerJoule() const;
};

struct MicroBatchState {
  std::size_t size = 0;  ///< sequences per micro-batch now; 0: unknown
  bool searching = false;
  std::vector<MicroBatchTrial> trials;  ///< in the order in which they began
};

nlohmann::ordered_json ToJson(const MicroBatchState& state);
/// Throws nlohmann::json::exception if a field is missing or has the wrong type.
MicroBatchState MicroBatchStateFromJson(const nlohmann::json& json);

/// The trials for other programs: size, tokens_per_second, tokens_per_joule; null for unknown.
nlohmann::ordered_json TriedJson(const MicroBatchState& state);
/// "micro-batches of 8 sequences from now on: 15.8 tokens/J (1: 3.9, 4: 12.1, 16: out of memory)".
std::string ChoiceText(const MicroBatchState& state);

/// True if the trials are compared by energy: all that counted something know their joules, and
/// lasted long enough for a counter that moves ten times in a second.
bool ComparedByJoules(const std::vector<MicroBatchTrial>& trials);

}  // namespace ebb::train
