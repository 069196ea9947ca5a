#pragma once
// Where the service's store is when nobody says otherwise.

#include <functional>

#include "platform/file.h"

namespace ebb::store {

/// $EBB_STORE; else $STATE_DIRECTORY/ebb.db (systemd gives it to a service of the system); else
/// $XDG_STATE_HOME/ebb/ebb.db; else ~/.local/state/ebb/ebb.db. Relative directories do not count.
/// `variable` answers what an environment variable holds, nullptr where it is not set.
Result<platform::Path> DefaultStorePath(const std::function<const char*(const char*)>& variable);

}  // namespace ebb::store
