#include "cli/service_flags.h"

#include <cstdio>

namespace ebb::cli {

void AddPlaceOfService(Command& command, app::ServicePlace& place) {
  const auto into = [](std::string& field) {
    return [&field](const std::string& text) { field = text; };
  };
  command.Flag({"server", "URL", "the service (default: as it wrote beside its store)", "Service"},
               into(place.server));
  command.Flag({"token-file", "FILE", "its token (default: beside its store)", "Service"},
               into(place.token_file));
  command.Flag(
      {"store", "FILE", "its store (default: $EBB_STORE, ~/.local/state/ebb/ebb.db)", "Service"},
      into(place.store));
}

void AddServiceFlags(Command& command, ServiceFlags& flags) {
  AddPlaceOfService(command, flags);
  command.Flag({"format", "text|json", "json: the service's own answer", "Output"},
               [&flags](const std::string& text) { flags.json = text == "json"; });
}

Result<int> TellJob(const ServiceFlags& flags, const std::string& job, const std::string& what) {
  EBB_ASSIGN_OR_RETURN(const long long number, app::JobNumberOf(job));
  EBB_ASSIGN_OR_RETURN(const app::ServiceClient client, app::ServiceClient::Find(flags));
  EBB_ASSIGN_OR_RETURN(const std::string answer,
                       client.Post("/api/v1/jobs/" + std::to_string(number) + "/" + what, ""));
  if (flags.json) std::fputs(answer.c_str(), stdout);
  return 0;
}

}  // namespace ebb::cli
