#include "core/jobs/recurring.h"

#include <array>

#include "base/enum_names.h"

namespace ebb::core {
namespace {
constexpr std::array<std::string_view, 3> kRuleNames{"forbid", "allow", "replace"};
}  // namespace

std::string_view Name(OverlapRule rule) { return kRuleNames[static_cast<std::size_t>(rule)]; }
std::optional<OverlapRule> OverlapRuleFromName(std::string_view name) {
  return EnumFromName<OverlapRule>(kRuleNames, name);
}
std::vector<std::string> OverlapRuleNames() { return {kRuleNames.begin(), kRuleNames.end()}; }

}  // namespace ebb::core
