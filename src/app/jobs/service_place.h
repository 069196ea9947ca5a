#pragma once
// Finds the service that a command should ask: the one given by flag, environment or settings, then
// the one of this user's store, then the service of the machine, then the usual address.
//
// A token goes only to a service of the token's owner (service_client.h), or to an address that was
// given beside it. An address that was found gets no token: somebody else may have written it down
// or may listen there.

#include <string>
#include <vector>

#include "app/options/user_settings.h"
#include "base/result.h"
#include "store/database/default_path.h"

namespace ebb::app {

/// The place of the service as a person gives it.
struct ServicePlace {
  std::string server;      ///< URL; empty if not given
  std::string token_file;  ///< empty for the file beside the store
  std::string store;       ///< empty for the default
};

/// The places to look at if nothing was given.
struct ServiceSources {
  store::Variables variable;  ///< variables of the environment
  const UserSettings* settings = nullptr;
  /// The store of deploy/ebb.service as a system unit, used by users who can read the token there.
  std::string machine_store = "/var/lib/ebb/ebb.db";
  /// The file in which that unit's service publishes its address for everybody. Only root can
  /// create the directory.
  std::string machine_address = "/run/ebb/ebb.url";
  std::string usual_address = "http://127.0.0.1:8733";
};
/// The sources of this machine and this process's environment.
ServiceSources SourcesOfMachine();

struct FoundService {
  std::string url;         ///< URL; empty if the service is found by its store
  std::string store;       ///< absolute path; empty if the service is found by its address
  std::string token_file;  ///< empty if the service gets no token
  std::string origin;      ///< what named the service: "--server", "EBB_STORE", a file
  bool was_given = false;  ///< true if it was given, false if it was only found
  /// The places that were tried without success, in words for people.
  std::vector<std::string> tried;
};

/// True if somebody named the service, or if it was found by a store of this user; then its jobs
/// may be counted as this user's. Who runs a service at an address that was only found is unknown.
bool IsNamedOrOwn(const FoundService& found);

/// Finds the service without sending any request.
Result<FoundService> FindService(const ServicePlace& place, const ServiceSources& sources);

/// The path of the store: the given one, or the default.
Result<std::string> StorePathOf(const std::string& given);
/// Paths of files beside the store.
std::string UrlFileOf(const std::string& store);
std::string TokenFileOf(const std::string& store);
using store::SocketOf;

/// The file in which a service publishes its address for everybody on the machine, in its unit's
/// $RUNTIME_DIRECTORY; empty if there is none.
std::string PublicUrlFile(const store::Variables& variable);

}  // namespace ebb::app
