#include "cli/admission_webhook.h"

#include <utility>

#include "base/text.h"

namespace ebb::cli {
namespace {

constexpr const char* kObjectsPath = "/mutate";
constexpr const char* kChosenNamespacesPath = "/mutate-in-chosen-namespaces";
constexpr int kHighestPort = 65'535;
constexpr std::size_t kLongestBody = 3 << 20;  // the API server's limit of an object
constexpr std::chrono::seconds kPatience{10};  // the API server's own limit is shorter
// Longer than the API server keeps an idle connection (90 s), so that the API server closes it
// first, and no request goes into a connection that we are closing.
constexpr std::chrono::seconds kKeptAlive{180};
constexpr int kThreads = 32;

web::HttpResponse Answer(const web::HttpRequest& request,
                         const kubernetes::AdmissionOptions& options) {
  const auto refuse = [](int status, const std::string& what) {
    return web::HttpResponse{.status = status, .body = "{\"error\":{\"what\":\"" + what + "\"}}\n"};
  };
  if (request.path == "/readyz")
    return {.status = 200, .content_type = "text/plain", .body = "ok\n"};
  const bool in_chosen_namespace = request.path == kChosenNamespacesPath;
  if (!in_chosen_namespace && request.path != kObjectsPath)
    return refuse(404, "there is /mutate and /mutate-in-chosen-namespaces");
  if (request.method != "POST") return refuse(405, "POST an AdmissionReview");
  auto answer = kubernetes::Review(request.body, in_chosen_namespace, options);
  return {.status = answer.status, .body = std::move(answer.body)};
}

}  // namespace

Result<std::optional<web::HttpServer>> ServeAdmission(
    const WebhookFlags& flags, kubernetes::AdmissionOptions options,
    const std::function<void(const std::string&)>& say) {
  if (flags.port.empty() && flags.certificate.empty() && flags.key.empty()) return std::nullopt;
  const auto port = ParseInteger(flags.port);
  if (!port || *port < 0 || *port > kHighestPort)
    return Fail({ExitCode::kUsage, "--webhook-port needs a port, 0 to 65535", "",
                 "0 takes any that is free"});
  if (flags.certificate.empty() || flags.key.empty())
    return Fail({ExitCode::kUsage, "--webhook-port needs --webhook-cert and --webhook-key", "",
                 "the API server asks over HTTPS only; docs/kubernetes.md makes both files"});
  web::HttpServerOptions server;
  server.port = static_cast<int>(*port);
  server.tls = {flags.certificate, flags.key, say};
  server.longest_body = kLongestBody;
  server.patience = kPatience;
  server.kept_alive = kKeptAlive;
  server.threads = kThreads;
  const web::HttpHandler handler = [options = std::move(options)](const web::HttpRequest& request) {
    return Answer(request, options);
  };
  Error why;
  for (const char* address : {"::", "0.0.0.0"}) {  // all, or all where there is no IPv6
    server.address = address;
    auto started = web::HttpServer::Start(server, handler);
    if (started) {
      say("the webhook answers at port " + std::to_string(started->port()));
      return std::optional<web::HttpServer>(*std::move(started));
    }
    why = std::move(started).error();
  }
  return Fail(std::move(why));
}

}  // namespace ebb::cli
