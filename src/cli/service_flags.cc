#include "cli/service_flags.h"

#include <cstdlib>

#include "core/jobs/owner_variables.h"
#include "platform/user_name.h"

namespace ebb::cli {

void AddPlaceOfService(Command& command, app::ServicePlace& place) {
  const auto into = [](std::string& field) {
    return [&field](const std::string& text) { field = text; };
  };
  command.Flag(
      {"server", "URL", "the service (default: $EBB_SERVER; else found by its store)", "Service"},
      into(place.server));
  command.Flag({"token-file", "FILE", "its token (default: $EBB_TOKEN_FILE; else beside its store)",
                "Service"},
               into(place.token_file));
  command.Flag(
      {"store", "FILE", "its store (default: $EBB_STORE, ~/.local/state/ebb/ebb.db)", "Service"},
      into(place.store));
}

void AddServiceFlags(Command& command, ServiceFlags& flags) {
  AddPlaceOfService(command, flags);
  command.Flag({"format", "text|json", "json: the answer of the service, unchanged", "Output"},
               [&flags](const std::string& text) { flags.json = text == "json"; });
}

std::string NameOfMe() {
  const char* user = std::getenv(core::kUserVariable);
  return user && *user ? user : platform::OwnerOf("/proc/self");
}

}  // namespace ebb::cli
