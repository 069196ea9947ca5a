#include "app/jobs/service_client.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "base/json_node.h"
#include "base/text.h"
#include "platform/file.h"
#include "platform/http.h"
#include "platform/unix_socket.h"
#include "web/api/access.h"

namespace ebb::app {
namespace {

constexpr std::uint64_t kLongestAnswer = 512 << 20;

constexpr int kUnauthorized = 401;
constexpr std::uint64_t kLongestUrl = 4096;
constexpr const char* kStartOne = "start one with ebb serve, or name it with --server";

std::string BearerOf(const std::string& token) { return "Authorization: Bearer " + token; }

// The Error in an answer of the service.
Error ErrorFrom(const platform::HttpResponse& answer) {
  Error error{ExitCode::kUnavailable, "the service answers " + std::to_string(answer.status), "",
              ""};
  if (answer.status == 400 || answer.status == 404 || answer.status == 405)
    error.code = ExitCode::kUsage;
  if (answer.status == 422) error.code = ExitCode::kInfeasible;
  if (answer.status == 503) error.code = ExitCode::kTryLater;
  // The answer may come from another program that listens at that address.
  const auto json = ParseJson(answer.body, "");
  const JsonNode* said = json ? json->Find("error") : nullptr;
  if (!said || !said->is_object()) return error;
  if (said->Find("what")) error.what = said->TextOf("what");
  error.where = said->TextOf("where");
  error.next = said->TextOf("next");
  // The state of a job does not allow it. A key that has another submission is a conflict too, but
  // not a mistake in the command.
  if (answer.status == 409 && error.where != "key") error.code = ExitCode::kUsage;
  return error;
}

}  // namespace

// The way to the service for one request.
struct ServiceClient::Way {
  platform::HttpRequest request;  // has no path yet
  std::optional<Error> no_token;  // reason why the request has no token
};

Result<ServiceClient> ServiceClient::Find(const ServicePlace& place,
                                          const ServiceSources& sources) {
  ServiceClient client;
  EBB_ASSIGN_OR_RETURN(client.place_, FindService(place, sources));
  client.machine_address_ = sources.machine_address;
  return client;
}

// Adds the places that were tried before, so that people can find a service elsewhere.
Error ServiceClient::Unreached(Error error) const {
  error.next = kStartOne;
  if (place_.was_given) return error;
  if (place_.store.empty()) {
    std::string next = std::string(kStartOne) + ". Ebb looked at";
    for (const std::string& tried : place_.tried) next += "\n  " + tried;
    next += "\n  " + place_.origin + ", " + error.where + ": " + error.what;
    return {error.code, "no service is found", "", next};
  }
  if (const auto url = platform::ReadFile(machine_address_, kLongestUrl))
    error.next += "; this machine's service: --server " + std::string(Trim(*url));
  return error;
}

Result<platform::HttpResponse> ServiceClient::Accepted(
    Result<platform::HttpResponse> answer) const {
  if (!answer) {
    const Error& error = answer.error();
    return Fail(error.code == ExitCode::kUnavailable ? Unreached(error) : error);
  }
  if (answer->status / 100 != 2) return Fail(ErrorFrom(*answer));
  return answer;
}

Result<ServiceClient::Way> ServiceClient::Open(bool needs_token) const {
  EBB_ASSIGN_OR_RETURN(Way way,
                       place_.store.empty() ? OpenServer(needs_token) : OpenStore(needs_token));
  way.request.timeout = patience_;
  way.request.limit_bytes = kLongestAnswer;
  way.request.direct = true;
  return way;
}

// The owner of a server at an address is unknown, so it gets only the token that was given for it.
Result<ServiceClient::Way> ServiceClient::OpenServer(bool needs_token) const {
  Way way;
  way.request.url = place_.url;
  if (place_.token_file.empty()) {
    way.no_token = Error{ExitCode::kUsage, "needs the service's token", place_.url,
                         "give the file that holds it with --token-file"};
    if (!place_.was_given)
      way.no_token->next = "give the file that holds it: --server " + place_.url +
                           " --token-file FILE; an address that nobody gave gets no token";
    if (!needs_token) return way;
    // If no service runs there, the missing token is not the problem to report.
    if (!place_.was_given)
      EBB_RETURN_IF_ERROR(
          Accepted(platform::HttpGet({.url = place_.url + "/livez", .direct = true})));
    return Fail(*way.no_token);
  }
  EBB_ASSIGN_OR_RETURN(const web::Token token, web::ReadToken(place_.token_file));
  way.request.headers = {BearerOf(token.text)};
  return way;
}

Result<ServiceClient::Way> ServiceClient::OpenStore(bool needs_token) const {
  const platform::Path socket = SocketOf(place_.store);
  const auto token = web::ReadToken(place_.token_file);
  struct stat facts {};
  if (!token && ::stat(place_.store.c_str(), &facts) != 0)
    return Fail({ExitCode::kUnavailable, "no service is known", place_.store, kStartOne});
  if (!token && needs_token) return Fail(token.error());
  Way way;
  if (!token) way.no_token = token.error();
  const bool is_others = ::access(socket.c_str(), W_OK) != 0 && errno == EACCES;
  if (is_others) {
    // Another user's service can be read at the address where it listens for everybody.
    EBB_ASSIGN_OR_RETURN(const std::string url,
                         platform::ReadFile(UrlFileOf(place_.store), kLongestUrl));
    way.request.url = Trim(url);
    if (!way.no_token)
      way.no_token =
          Error{ExitCode::kUnavailable, "belongs to another user's service", socket.string(), ""};
    if (needs_token) return Fail(*way.no_token);
    return way;
  }
  way.request.url = "http://localhost";
  way.request.unix_socket = socket.string();
  way.request.socket_owner = token ? token->owner : facts.st_uid;
  if (token) way.request.headers = {BearerOf(token->text)};
  return way;
}

Result<platform::HttpResponse> ServiceClient::GetWhole(const std::string& path) const {
  EBB_ASSIGN_OR_RETURN(Way way, Open(false));
  way.request.url += path;
  Result<platform::HttpResponse> answer = platform::HttpGet(way.request);
  if (answer && answer->status == kUnauthorized && way.no_token) return Fail(*way.no_token);
  return Accepted(std::move(answer));
}

Result<std::string> ServiceClient::Get(const std::string& path) const {
  EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, GetWhole(path));
  return std::move(answer.body);
}

ServiceClient ServiceClient::Within(Duration patience) const {
  ServiceClient client = *this;
  client.patience_ = patience;
  return client;
}

Status ServiceClient::CheckToken() const {
  EBB_RETURN_IF_ERROR(Open(true));
  return {};
}

Result<std::string> ServiceClient::Post(const std::string& path, const std::string& body) const {
  EBB_ASSIGN_OR_RETURN(Way way, Open(true));
  way.request.url += path;
  way.request.headers.emplace_back("Content-Type: application/json");
  way.request.body = body;
  EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, Accepted(platform::HttpPost(way.request)));
  return std::move(answer.body);
}

Result<long long> JobNumberOf(const std::string& text) {
  const auto number = ParseInteger(text);
  if (!number || *number < 1)
    return Fail(
        {ExitCode::kUsage, "\"" + text + "\" is not a job number", "", "ebb queue lists the jobs"});
  return *number;
}

}  // namespace ebb::app
