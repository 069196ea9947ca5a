#pragma once
// The names that one may choose from where a kind or boundary of intensity is asked for: flags,
// YAML and scenarios follow these lists. Defined beside the names themselves, in intensity.cc.

#include <string>
#include <vector>

namespace ebb::core {

std::vector<std::string> SignalKindNames();
/// All but "unknown", which a signal may be but nobody asks for.
std::vector<std::string> BoundaryChoices();

}  // namespace ebb::core
