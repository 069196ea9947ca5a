#pragma once
// Short ways to write the access to a member of RunOptions in a table of run_option.h:
//   Member([](auto& o) -> auto& { return o.metering.pue; })
// Private to config/options.

#include <optional>
#include <string>

#include "config/member_access.h"
#include "config/options/run_option.h"

namespace ebb::config {

/// `find` returns a reference to the member, for const and for other options.
template <typename Find>
OptionMember Member(Find find) {
  return MemberOf<RunOptions>(find);
}

/// A member that is one of an enumeration, by the name that `from_name` knows and Name gives.
template <typename Find, typename FromName>
OptionMember Named(Find find, FromName from_name) {
  return NamedMemberOf<RunOptions>(find, from_name);
}

/// The text if it says something.
inline std::optional<core::OptionValue> UnlessEmpty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<core::OptionValue>(text);
}

}  // namespace ebb::config
