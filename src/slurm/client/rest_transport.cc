#include "slurm/client/rest_transport.h"

#include <cstdlib>

#include "base/text.h"
#include "platform/file.h"
#include "platform/user_name.h"
#include "platform/web_address.h"

namespace ebb::slurm {
namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;
constexpr std::chrono::seconds kPatience{30};
constexpr std::uint64_t kLongestToken = 64 << 10;

Result<std::string> TokenOf(const RestPlace& place) {
  if (place.token_file.empty()) {
    const char* token = std::getenv("SLURM_JWT");
    return std::string(token ? Trim(token) : "");
  }
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(place.token_file, kLongestToken));
  // "scontrol token" prints it as an assignment.
  std::string_view token = Trim(text);
  if (constexpr std::string_view kName = "SLURM_JWT="; token.starts_with(kName))
    token.remove_prefix(kName.size());
  return std::string(token);
}

Result<platform::HttpResponse> Send(const RestPlace& place, const RestCall& call) {
  platform::HttpRequest request;
  request.timeout = kPatience;
  request.limit_bytes = kMostBytes;
  request.ca_file = place.ca_file;
  request.body = call.body;
  request.direct = true;
  const bool is_socket = place.address.starts_with(kUnix);
  request.url = (is_socket ? "http://slurmrestd" : place.address) + call.path;
  if (is_socket) {
    request.unix_socket = place.address.substr(kUnix.size());
    const auto owner = platform::OwnerIdOf(request.unix_socket);
    if (!owner)
      return Fail({ExitCode::kUnavailable, "there is no socket of slurmrestd", request.unix_socket,
                   "start slurmrestd"});
    request.socket_owner = *owner;
  }
  EBB_ASSIGN_OR_RETURN(const std::string token, TokenOf(place));
  if (!token.empty()) {
    EBB_RETURN_IF_ERROR(platform::CheckAddress(request.url, !is_socket));
    const char* user = std::getenv("USER");
    request.headers.push_back("X-SLURM-USER-NAME: " +
                              (place.user.empty() && user ? std::string(user) : place.user));
    request.headers.push_back("X-SLURM-USER-TOKEN: " + token);
  }
  if (call.method == "GET") return platform::HttpGet(request);
  if (call.method == "DELETE") return platform::HttpDelete(request);
  request.headers.emplace_back("Content-Type: application/json");
  return platform::HttpPost(request);
}

}  // namespace

Result<RestTransport> MakeRestTransport(RestPlace place) {
  while (place.address.ends_with('/')) place.address.pop_back();
  if (!place.address.starts_with(kUnix))
    EBB_RETURN_IF_ERROR(platform::CheckAddress(place.address, false));
  return RestTransport(
      [place = std::move(place)](const RestCall& call) { return Send(place, call); });
}

}  // namespace ebb::slurm
