#pragma once
// The address where the API server asks about new objects (kubernetes/admission/admission.h):
// HTTPS, with limits, and /readyz for probes.

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "kubernetes/admission/admission.h"
#include "web/http/http_server.h"

namespace ebb::cli {

/// The flags as given. Either all three are given, or none.
struct WebhookFlags {
  std::string port, certificate, key;
};

/// Serves the webhook until the returned server is destroyed. Returns nothing if no flag is given.
/// `say` receives messages for people.
Result<std::optional<web::HttpServer>> ServeAdmission(
    const WebhookFlags& flags, kubernetes::AdmissionOptions options,
    const std::function<void(const std::string&)>& say);

}  // namespace ebb::cli
