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
/// Adds the flags of ServiceFlags and --format.
void AddServiceFlags(Command& command, ServiceFlags& flags);
/// The user that --me stands for: the default user of `ebb submit`, or else the user that the
/// system reports.
std::string NameOfMe();

}  // namespace ebb::cli
