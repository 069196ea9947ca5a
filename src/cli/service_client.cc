#include "cli/service_client.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "platform/file.h"
#include "platform/http.h"
#include "store/default_path.h"
#include "web/access.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::json;

// A long queue takes a while to print.
constexpr Duration kPatience{60'000};
constexpr std::uint64_t kLongestAnswer = 512 << 20;

constexpr int kUnauthorized = 401;

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
  const Json json = Json::parse(answer.body, nullptr, false);
  if (!json.is_object() || !json.contains("error") || !json["error"].is_object()) return error;
  const Json& said = json["error"];
  error.what = said.value("what", error.what);
  error.where = said.value("where", "");
  error.next = said.value("next", "");
  return error;
}

Result<platform::HttpResponse> Accepted(Result<platform::HttpResponse> answer) {
  if (!answer) {
    Error error = answer.error();
    error.next = "is the service running? ebb serve starts it";
    return Fail(std::move(error));
  }
  if (answer->status / 100 != 2) return Fail(ErrorFrom(*answer));
  return answer;
}

}  // namespace

void AddPlaceOfService(Command& command, ServiceFlags& flags) {
  const auto into = [](std::string& field) {
    return [&field](const std::string& text) { field = text; };
  };
  command.Flag({"server", "URL", "the service (default: as it wrote beside its store)", "Service"},
               into(flags.server));
  command.Flag({"token-file", "FILE", "its token (default: beside its store)", "Service"},
               into(flags.token_file));
  command.Flag(
      {"store", "FILE", "its store (default: $EBB_STORE, ~/.local/state/ebb/ebb.db)", "Service"},
      into(flags.store));
}

void AddServiceFlags(Command& command, ServiceFlags& flags) {
  AddPlaceOfService(command, flags);
  command.Flag({"format", "text|json", "json: the service's own answer", "Output"},
               [&flags](const std::string& text) { flags.json = text == "json"; });
}

Result<std::string> StorePathOf(const std::string& given) {
  if (!given.empty()) return std::filesystem::absolute(given).string();
  EBB_ASSIGN_OR_RETURN(const platform::Path path, store::DefaultStorePath(Variable));
  return path.string();
}

std::string UrlFileOf(const std::string& store) { return store + ".url"; }
std::string TokenFileOf(const std::string& store) { return store + ".token"; }

Result<ServiceClient> ServiceClient::Find(const ServiceFlags& flags) {
  ServiceClient client;
  EBB_ASSIGN_OR_RETURN(const std::string store, StorePathOf(flags.store));
  client.token_file_ = flags.token_file.empty() ? TokenFileOf(store) : flags.token_file;
  client.url_ = flags.server;
  client.shows_token_ = flags.server.empty() || !flags.token_file.empty();
  if (client.url_.empty()) {
    const auto text = platform::ReadFile(UrlFileOf(store), 4096);
    if (!text)
      return Fail({ExitCode::kUnavailable, "no service is known", UrlFileOf(store),
                   "start one with ebb serve, or name it with --server"});
    client.url_ = Trim(*text);
  }
  while (client.url_.ends_with('/')) client.url_.pop_back();
  return client;
}

Result<platform::HttpResponse> ServiceClient::GetWhole(const std::string& path) const {
  platform::HttpRequest request;
  request.url = url_ + path;
  request.timeout = kPatience;
  request.limit_bytes = kLongestAnswer;
  request.direct = true;
  std::optional<Error> no_token;
  if (shows_token_) {
    const auto token = web::ReadToken(token_file_);
    if (token)
      request.headers = {BearerOf(*token)};
    else
      no_token = token.error();
  }
  Result<platform::HttpResponse> answer = platform::HttpGet(request);
  if (answer && answer->status == kUnauthorized && no_token) return Fail(*no_token);
  return Accepted(std::move(answer));
}

Result<std::string> ServiceClient::Get(const std::string& path) const {
  EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, GetWhole(path));
  return std::move(answer.body);
}

Result<std::string> ServiceClient::Post(const std::string& path, const std::string& body) const {
  EBB_ASSIGN_OR_RETURN(const std::string token, web::ReadToken(token_file_));
  platform::HttpRequest request;
  request.url = url_ + path;
  request.headers = {BearerOf(token), "Content-Type: application/json"};
  request.body = body;
  request.timeout = kPatience;
  request.direct = true;
  EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, Accepted(platform::HttpPost(request)));
  return std::move(answer.body);
}

bool IsJobNumber(const std::string& word) {
  std::error_code ignored;
  return ParseInteger(word).has_value() && !std::filesystem::exists(word, ignored);
}

Result<long long> JobNumberOf(const std::string& text) {
  const auto number = ParseInteger(text);
  if (!number || *number < 1)
    return Fail(
        {ExitCode::kUsage, "\"" + text + "\" is no job number", "", "ebb queue lists the jobs"});
  return *number;
}

Result<int> TellJob(const ServiceFlags& flags, const std::string& job, const std::string& what) {
  EBB_ASSIGN_OR_RETURN(const long long number, JobNumberOf(job));
  EBB_ASSIGN_OR_RETURN(const ServiceClient client, ServiceClient::Find(flags));
  EBB_ASSIGN_OR_RETURN(const std::string answer,
                       client.Post("/api/v1/jobs/" + std::to_string(number) + "/" + what, ""));
  if (flags.json) std::fputs(answer.c_str(), stdout);
  return 0;
}

}  // namespace ebb::cli
