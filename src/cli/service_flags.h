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

}  // namespace ebb::cli
