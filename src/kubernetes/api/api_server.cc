#include "kubernetes/api/api_server.h"

#include <optional>

#include "base/text.h"
#include "platform/file.h"

namespace ebb::kubernetes {
namespace {

constexpr std::chrono::minutes kReadAgainAfter{1};
constexpr std::uint64_t kMostBytes = 1 << 20;

Result<std::string> Read(const std::filesystem::path& file) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, kMostBytes));
  return std::string(Trim(text));
}

// An address of IPv6 stands in brackets.
std::string Host(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

std::function<Result<std::string>()> TextFromFile(std::filesystem::path file,
                                                  std::function<Duration()> now) {
  struct Kept {
    std::string text;
    std::optional<Duration> read_at;
  };
  return [file = std::move(file), now = std::move(now),
          kept = std::make_shared<Kept>()]() -> Result<std::string> {
    if (kept->read_at && now() - *kept->read_at < kReadAgainAfter) return kept->text;
    auto text = Read(file);
    // While the file is being replaced, the previous text still holds.
    if (!text && kept->text.empty()) return text;
    if (text) kept->text = *std::move(text);
    kept->read_at = now();
    return kept->text;
  };
}

Result<ApiServer> ServerOfPod(const std::function<const char*(const char*)>& variable,
                              const std::function<Duration()>& now,
                              const std::filesystem::path& folder) {
  const char* host = variable("KUBERNETES_SERVICE_HOST");
  const char* port = variable("KUBERNETES_SERVICE_PORT");
  if (!host || !*host || !port || !*port)
    return Fail({ExitCode::kConfiguration, "this is not a pod of a cluster", "",
                 "name a kubeconfig with --kubeconfig, or set KUBECONFIG"});
  ApiServer server;
  server.url = "https://" + Host(host) + ":" + port;
  EBB_ASSIGN_OR_RETURN(server.ca_pem, Read(folder / "ca.crt"));
  server.token = TextFromFile(folder / "token", now);
  EBB_RETURN_IF_ERROR(server.token());
  if (const auto name = Read(folder / "namespace")) server.name_space = *name;
  return server;
}

}  // namespace ebb::kubernetes
