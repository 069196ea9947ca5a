#include "app/jobs/service_client.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "base/json_node.h"
#include "base/text.h"
#include "platform/file.h"
#include "platform/http.h"
#include "platform/unix_socket.h"
#include "store/default_path.h"
#include "web/api/access.h"

namespace ebb::app {
namespace {

// A long queue takes a while to print.
constexpr Duration kPatience{60'000};
constexpr std::uint64_t kLongestAnswer = 512 << 20;

constexpr int kUnauthorized = 401;
constexpr const char* kStartOne = "start one with ebb serve, or name it with --server";

std::string BearerOf(const std::string& token) { return "Authorization: Bearer " + token; }

const char* Variable(const char* name) { return std::getenv(name); }

// What the service says went wrong.
Error ErrorFrom(const platform::HttpResponse& answer) {
  Error error{ExitCode::kUnavailable, "the service answers " + std::to_string(answer.status), "",
              ""};
  if (answer.status == 400 || answer.status == 404 || answer.status == 405)
    error.code = ExitCode::kUsage;
  if (answer.status == 422) error.code = ExitCode::kInfeasible;
  if (answer.status == 503) error.code = ExitCode::kTryLater;
  // Whatever listens at that address may have answered.
  const auto json = ParseJson(answer.body, "");
  const JsonNode* said = json ? json->Find("error") : nullptr;
  if (!said || !said->is_object()) return error;
  if (said->Find("what")) error.what = said->TextOf("what");
  error.where = said->TextOf("where");
  error.next = said->TextOf("next");
  return error;
}

Result<platform::HttpResponse> Accepted(Result<platform::HttpResponse> answer) {
  if (!answer) {
    Error error = answer.error();
    if (error.code == ExitCode::kUnavailable) error.next = kStartOne;
    return Fail(std::move(error));
  }
  if (answer->status / 100 != 2) return Fail(ErrorFrom(*answer));
  return answer;
}

}  // namespace

Result<std::string> StorePathOf(const std::string& given) {
  if (!given.empty()) return std::filesystem::absolute(given).string();
  EBB_ASSIGN_OR_RETURN(const platform::Path path, store::DefaultStorePath(Variable));
  return path.string();
}

std::string UrlFileOf(const std::string& store) { return store + ".url"; }
std::string SocketOf(const std::string& store) { return store + ".sock"; }
std::string TokenFileOf(const std::string& store) { return store + ".token"; }

// To the service, for one request.
struct ServiceClient::Way {
  platform::HttpRequest request;  // without a path yet
  std::optional<Error> no_token;  // why it goes without
};

Result<ServiceClient> ServiceClient::Find(const ServicePlace& place) {
  ServiceClient client;
  EBB_ASSIGN_OR_RETURN(client.store_, StorePathOf(place.store));
  client.token_file_ = place.token_file;
  client.url_ = place.server;
  while (client.url_.ends_with('/')) client.url_.pop_back();
  if (client.url_.empty() && client.token_file_.empty())
    client.token_file_ = TokenFileOf(client.store_);
  return client;
}

Result<ServiceClient::Way> ServiceClient::Open(bool needs_token) const {
  EBB_ASSIGN_OR_RETURN(Way way, url_.empty() ? OpenStore(needs_token) : OpenServer(needs_token));
  way.request.timeout = kPatience;
  way.request.limit_bytes = kLongestAnswer;
  way.request.direct = true;
  return way;
}

// Whose server it is, is not known: it gets no token but the one that was given for it.
Result<ServiceClient::Way> ServiceClient::OpenServer(bool needs_token) const {
  Way way;
  way.request.url = url_;
  if (token_file_.empty()) {
    way.no_token = Error{ExitCode::kUsage, "needs the service's token", url_,
                         "give the file that holds it with --token-file"};
    if (needs_token) return Fail(*way.no_token);
    return way;
  }
  EBB_ASSIGN_OR_RETURN(const web::Token token, web::ReadToken(token_file_));
  way.request.headers = {BearerOf(token.text)};
  return way;
}

Result<ServiceClient::Way> ServiceClient::OpenStore(bool needs_token) const {
  const platform::Path socket = SocketOf(store_);
  const auto token = web::ReadToken(token_file_);
  struct stat facts {};
  if (!token && ::stat(store_.c_str(), &facts) != 0)
    return Fail({ExitCode::kUnavailable, "no service is known", store_, kStartOne});
  if (!token && needs_token) return Fail(token.error());
  Way way;
  if (!token) way.no_token = token.error();
  const bool is_others = ::access(socket.c_str(), W_OK) != 0 && errno == EACCES;
  if (is_others) {
    // Another user's service may be read where it listens for everybody.
    EBB_ASSIGN_OR_RETURN(const std::string url, platform::ReadFile(UrlFileOf(store_), 4096));
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
