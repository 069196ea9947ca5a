#pragma once
// The flags of every command that asks the service.

#include "app/jobs/service_client.h"
#include "cli/parser.h"

namespace ebb::cli {

struct ServiceFlags : app::ServicePlace {
  bool json = false;
};
/// --server, --token-file, --store.
void AddPlaceOfService(Command& command, app::ServicePlace& place);
/// Those and --format.
void AddServiceFlags(Command& command, ServiceFlags& flags);

/// "pause", "resume", "cancel" or "now" for one job; the exit code.
Result<int> TellJob(const ServiceFlags& flags, const std::string& job, const std::string& what);

}  // namespace ebb::cli
