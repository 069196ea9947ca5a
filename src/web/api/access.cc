#include "web/api/access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/text.h"
#include "platform/file.h"
#include "platform/random_bytes.h"
#include "web/answers/job_json.h"

namespace ebb::web {
namespace {

constexpr std::size_t kTokenBytes = 32;

std::string HeaderOf(const HttpRequest& request, const char* name) {
  const auto found = request.headers.find(name);
  return found == request.headers.end() ? "" : found->second;
}

HttpResponse Refused(int status, std::string what, std::string next) {
  HttpResponse response;
  response.status = status;
  response.body = ErrorToJson({ExitCode::kUsage, std::move(what), "", std::move(next)});
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

// Compares in constant time: the duration depends on all bytes alike, so that it does not give away
// the first bytes of a token.
bool SameText(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

std::string WithoutPort(const std::string& host) {
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.rfind(':'));
}

bool IsAddress(const std::string& host) {
  return host.starts_with('[') || host.find_first_not_of("0123456789.") == std::string::npos;
}

// Accepts only known host names. A foreign page can make its own name point to our address (DNS
// rebinding), but it cannot change that name.
bool KnownHost(const std::string& header, const AccessOptions& options) {
  const std::string host = WithoutPort(header);
  if (host.empty()) return false;
  if (host == "localhost" || IsAddress(host)) return true;
  for (const std::string& known : options.hosts)
    if (known == host) return true;
  return false;
}

bool SameOrigin(const std::string& origin, const std::string& host) {
  return origin == "http://" + host || origin == "https://" + host;
}

// Browsers state the origin of a request (Fetch Metadata, W3C) even if they send no Origin header,
// as for an image or a script. Following a link from another site is allowed, because our page does
// not become part of that site.
bool IsPartOfAnotherSite(const HttpRequest& request) {
  const std::string site = HeaderOf(request, "sec-fetch-site");
  if (site.empty() || site == "same-origin" || site == "none") return false;
  return request.method != "GET" || HeaderOf(request, "sec-fetch-mode") != "navigate" ||
         HeaderOf(request, "sec-fetch-dest") != "document";
}

Error TokenError(const std::filesystem::path& file, std::string what, std::string next) {
  return {ExitCode::kUnavailable, std::move(what), file.string(), std::move(next)};
}

}  // namespace

bool HasToken(const HttpRequest& request, const std::string& token) {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string header = HeaderOf(request, "authorization");
  return header.starts_with(kBearer) && SameText(header.substr(kBearer.size()), token);
}

std::optional<HttpResponse> RefusalOfOrigin(const HttpRequest& request,
                                            const AccessOptions& options) {
  const std::string host = HeaderOf(request, "host");
  if (!KnownHost(host, options))
    return Refused(403, "is not a name of this service: \"" + host + "\"",
                   "give it with --host-name when the service starts");
  const std::string origin = HeaderOf(request, "origin");
  if ((!origin.empty() && !SameOrigin(origin, host)) || IsPartOfAnotherSite(request))
    return Refused(403, "requests from pages of other origins are refused", "");
  return std::nullopt;
}

std::optional<HttpResponse> RefusalOfToken(const HttpRequest& request,
                                           const AccessOptions& options) {
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (reads && !options.token_to_read) return std::nullopt;
  if (HasToken(request, options.token)) return std::nullopt;
  return Refused(401, "needs the service's token",
                 "send Authorization: Bearer TOKEN; the token lies beside the store");
}

Result<Token> ReadToken(const std::filesystem::path& file) {
  const auto unreadable = [&] {
    return TokenError(file, std::string("cannot be read: ") + std::strerror(errno),
                      "is the service running, as this user?");
  };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return Fail(unreadable());
  // The facts are those of the open file, not of the file that its name leads to by now.
  struct stat facts {};
  std::array<char, 4096> bytes{};
  const bool found = ::fstat(descriptor, &facts) == 0;
  const ssize_t size = found ? ::read(descriptor, bytes.data(), bytes.size()) : -1;
  const Error why = unreadable();
  ::close(descriptor);
  if (size < 0) return Fail(why);
  if ((facts.st_mode & 077) != 0)
    return Fail(TokenError(file, "can be read by others", "chmod 600 " + file.string()));
  Token token{std::string(Trim({bytes.data(), static_cast<std::size_t>(size)})), facts.st_uid};
  if (token.text.size() < kTokenBytes)
    return Fail(TokenError(file, "holds no token", "remove it; the service makes a new one"));
  return token;
}

Result<std::string> OpenToken(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    EBB_ASSIGN_OR_RETURN(Token token, ReadToken(file));
    // The user who owns the file knows the token.
    if (token.owner != ::geteuid())
      return Fail(TokenError(file, "belongs to user " + std::to_string(token.owner),
                             "keep the store in a directory that only its owner can write to"));
    return std::move(token.text);
  }
  std::array<unsigned char, kTokenBytes> random{};
  EBB_RETURN_IF_ERROR(platform::FillWithRandom(random));
  std::string token;
  for (const unsigned char byte : random) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0)
    return Fail(TokenError(file, std::string("cannot be written: ") + std::strerror(errno), ""));
  const std::string line = token + "\n";
  const bool written =
      ::write(descriptor, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  ::close(descriptor);
  if (!written) return Fail(TokenError(file, "cannot be written", "free some disk space"));
  return token;
}

}  // namespace ebb::web
