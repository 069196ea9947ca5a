#pragma once
// The other end of a connection: answers the requests of a service about jobs on this machine until
// the service, or the connection, is gone. What runs goes on then.
//
// Thread contract: one thread.

#include <functional>

#include "platform/byte_channel.h"
#include "sites/remote/site_job.h"

namespace ebb::sites {

struct SiteSessionOptions {
  SiteJobOptions jobs;
  std::string version;  ///< of Ebb
  std::function<std::vector<Gpu>()> gpus = [] { return std::vector<Gpu>(); };
  /// Wall time without a request after which the service counts as gone.
  Duration patience{std::chrono::minutes{10}};
};

/// Returns when the other end is gone. An Error: it does not speak the protocol.
Status ServeSite(platform::ByteChannel& channel, const SiteSessionOptions& options);

/// The folder in which this user keeps the jobs of other services: $XDG_STATE_HOME/ebb/site, or
/// ~/.local/state/ebb/site.
Result<std::filesystem::path> SiteStateFolder(
    const std::function<const char*(const char*)>& variable);

}  // namespace ebb::sites
