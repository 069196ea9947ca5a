#pragma once
// Finds the service's store if the user does not name one.

#include <functional>
#include <vector>

#include "platform/file.h"

namespace ebb::store {

/// Returns the value of an environment variable, or nullptr if it is not set.
using Variables = std::function<const char*(const char*)>;

/// Places where this user's store may be: $EBB_STORE alone; else $STATE_DIRECTORY/ebb.db alone
/// (systemd gives it to its services); else $XDG_STATE_HOME/ebb/ebb.db (~/.local/state), and then
/// $XDG_CONFIG_HOME/ebb/ebb.db (~/.config), where systemd before 254 puts the state of user units.
/// Relative directories are ignored. Empty if there is no home directory.
std::vector<platform::Path> OwnStorePaths(const Variables& variable);

/// The own path beside which a service listens, otherwise the first that exists, otherwise the
/// first.
Result<platform::Path> DefaultStorePath(const Variables& variable);

/// The socket beside a store, where its service listens.
std::string SocketOf(const std::string& store);

}  // namespace ebb::store
