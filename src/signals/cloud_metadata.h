#pragma once
// The cloud region of this machine, from its cloud's own metadata service: AWS (IMDSv2), Google
// Cloud, Azure. A service is asked only if the user wants it (`--zone cloud`). Its address is
// link-local, requests use no proxy and follow no redirect, and all together wait at most a second.
// Nothing is ever guessed from an IP address.

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "platform/http.h"
#include "signals/cloud_regions.h"

namespace ebb::signals {

struct CloudMetadataOptions {
  using Ask = std::function<Result<platform::HttpResponse>(const platform::HttpRequest&)>;
  std::string url = "http://169.254.169.254";  ///< the address of all three services
  Duration patience{300};  ///< for each service; AWS is asked twice, once for a token
  Ask get = platform::HttpGet, put = platform::HttpPut;
};

/// Errors: no service answers (each with its reason), or the region is not in the table.
Result<const CloudRegion*> RegionOfThisMachine(const CloudMetadataOptions& options = {});

}  // namespace ebb::signals
