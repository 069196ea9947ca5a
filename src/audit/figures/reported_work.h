#pragma once
// The work of a run as its program reported it, counted again from progress.jsonl by the rules of
// docs/METHOD.md (Energy per unit of work). No code is shared with report/run/work_count. Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ebb::audit {

inline constexpr std::array<const char*, 3> kUnits{"token", "sample", "step"};

/// Units that were done, in the order of kUnits; nothing: not reported.
using UnitCounts = std::array<std::optional<std::int64_t>, 3>;
UnitCounts WorkFrom(std::string_view progress);

}  // namespace ebb::audit
