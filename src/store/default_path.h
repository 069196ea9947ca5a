#pragma once
// Where the service's store is when nobody says otherwise.

#include <functional>
#include <vector>

#include "platform/file.h"

namespace ebb::store {

/// Answers what an environment variable holds, nullptr where it is not set.
using Variables = std::function<const char*(const char*)>;

/// Where this user's store may be: $EBB_STORE alone; else $STATE_DIRECTORY/ebb.db alone (systemd
/// gives it to its services); else $XDG_STATE_HOME/ebb/ebb.db (~/.local/state), and then
/// $XDG_CONFIG_HOME/ebb/ebb.db (~/.config), where systemd before 254 puts the state of user units.
/// Relative directories do not count. Empty: there is no home directory.
std::vector<platform::Path> OwnStorePaths(const Variables& variable);

/// The one of them that a service listens beside, else the first that is there, else the first.
Result<platform::Path> DefaultStorePath(const Variables& variable);

/// The socket beside a store, where its service listens.
std::string SocketOf(const std::string& store);

}  // namespace ebb::store
