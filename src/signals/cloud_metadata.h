#pragma once
// The cloud region of this machine, as its cloud's own metadata service tells it: AWS (IMDSv2),
// Google Cloud, Azure. Asked only when the user asks for it (`--zone cloud`); the address is
// link-local, is asked without proxy and redirect, and no answer is waited for longer than a second
// in all. Nothing is ever guessed from an IP address.

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "platform/http.h"
#include "signals/cloud_regions.h"

namespace ebb::signals {

struct CloudMetadataOptions {
  using Ask = std::function<Result<platform::HttpResponse>(const platform::HttpRequest&)>;
  std::string url = "http://169.254.169.254";  ///< of all three services
  Duration patience{300};                      ///< with each; AWS is asked twice, once for a token
  Ask get = platform::HttpGet, put = platform::HttpPut;
};

/// Errors: no service answers (each with its reason), or the region is not known here.
Result<const CloudRegion*> RegionOfThisMachine(const CloudMetadataOptions& options = {});

}  // namespace ebb::signals
