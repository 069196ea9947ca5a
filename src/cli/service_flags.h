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
/// Who --me is: as ebb submit names the user of a job by default, or else as the system does.
std::string NameOfMe();

}  // namespace ebb::cli
