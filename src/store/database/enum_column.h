#pragma once
// Reads names of enum values back from columns. Private to store/.

#include <optional>
#include <string>

#include "base/result.h"

namespace ebb::store {

template <typename Enum>
Status TakeEnum(std::string_view name, std::optional<Enum> found, Enum& value) {
  if (!found)
    return Fail({ExitCode::kConfiguration, "has an unknown name: " + std::string(name),
                 "stored ledger", "use the version of ebb that wrote it"});
  value = *found;
  return {};
}

}  // namespace ebb::store
