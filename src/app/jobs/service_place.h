#pragma once
// Where the service is that a command asks: what was given by flag, environment or settings, then
// this user's store, then the service of the machine, then the usual address.
//
// A token goes only where its owner listens (service_client.h), or to an address that was given
// beside it. An address that is found is one that somebody else may have written down or may listen
// at: it gets none.

#include <string>
#include <vector>

#include "app/options/user_settings.h"
#include "base/result.h"
#include "store/default_path.h"

namespace ebb::app {

/// Where the service is, as a person says it.
struct ServicePlace {
  std::string server;      ///< URL; empty: not given
  std::string token_file;  ///< empty: beside the store
  std::string store;       ///< empty: the default
};

/// What is looked at when nothing was given.
struct ServiceSources {
  store::Variables variable;  ///< of the environment
  const UserSettings* settings = nullptr;
  /// deploy/ebb.service as a unit of the system: who can read the token there has its store.
  std::string machine_store = "/var/lib/ebb/ebb.db";
  /// What that unit's service writes down for everybody. Only root can make the directory.
  std::string machine_address = "/run/ebb/ebb.url";
  std::string usual_address = "http://127.0.0.1:8733";
};
/// Of this machine and this process's environment.
ServiceSources SourcesOfMachine();

struct FoundService {
  std::string url;         ///< empty: it is found by its store
  std::string store;       ///< absolute; empty: it is found by its address
  std::string token_file;  ///< empty: it gets no token
  std::string origin;      ///< what named it: "--server", "EBB_STORE", a file
  bool was_given = false;  ///< and not merely found
  /// What was looked at before and is not there, for people.
  std::vector<std::string> tried;
};

/// Its jobs are this user's to count: somebody named it, or it is found by a store of this user.
/// Whose service answers at an address that was merely found is not known.
bool IsNamedOrOwn(const FoundService& found);

/// Nobody is asked yet.
Result<FoundService> FindService(const ServicePlace& place, const ServiceSources& sources);

/// The store that is meant: the given one, or the default.
Result<std::string> StorePathOf(const std::string& given);
/// Files beside the store.
std::string UrlFileOf(const std::string& store);
std::string TokenFileOf(const std::string& store);
using store::SocketOf;

/// Where a service writes its address for everybody on the machine: in the directory that its unit
/// has for that ($RUNTIME_DIRECTORY); empty: it has none.
std::string PublicUrlFile(const store::Variables& variable);

}  // namespace ebb::app
