#include "platform/http.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>

#include "base/text.h"
#include "platform/libcurl.h"
#include "platform/unix_socket.h"

namespace ebb::platform {
namespace {

struct Body {
  std::string bytes;
  std::uint64_t limit_bytes;
  bool too_large = false;
};

std::size_t Receive(char* data, std::size_t size, std::size_t count, void* user) {
  auto& body = *static_cast<Body*>(user);
  body.too_large = body.bytes.size() + size * count > body.limit_bytes;
  if (body.too_large) return 0;
  body.bytes.append(data, size * count);
  return size * count;
}

using Headers = std::map<std::string, std::string>;

// A new status line (after a redirect) discards the headers before it.
std::size_t ReceiveHeader(char* data, std::size_t size, std::size_t count, void* user) {
  const std::string_view line(data, size * count);
  auto& headers = *static_cast<Headers*>(user);
  if (line.starts_with("HTTP/")) headers.clear();
  if (const auto colon = line.find(':'); colon != std::string_view::npos)
    headers[Lowercase(line.substr(0, colon))] = Trim(line.substr(colon + 1));
  return line.size();
}

int StopIfCancelled(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return *static_cast<const std::atomic<bool>*>(user) ? 1 : 0;
}

// The other end of a Unix socket. Ebb sends nothing over it before it has checked whose process
// listens there.
struct UnixPeer {
  const HttpRequest& request;
  int socket = -1;  // libcurl's socket
  Status known{};
};

curl_socket_t OpenUnixSocket(void* user, curlsocktype, curl_sockaddr*) {
  auto& peer = *static_cast<UnixPeer*>(user);
  return peer.socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

int CheckUnixPeer(void* user, char*, char*, int, int) {
  auto& peer = *static_cast<UnixPeer*>(user);
  peer.known = CheckPeer(peer.socket, peer.request.socket_owner, peer.request.unix_socket);
  return peer.known ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

enum class Method { kGet, kPut, kPost, kDelete };

// One request. It cannot be moved, because libcurl holds pointers into it.
class Call {
 public:
  Call(const Curl& curl, const HttpRequest& request, std::optional<SocketName> socket_name)
      : curl_(curl),
        request_(request),
        socket_name_(std::move(socket_name)),
        handle_(curl.easy_init(), curl.easy_cleanup),
        headers_(nullptr, curl.slist_free_all),
        body_{{}, request.limit_bytes},
        peer_{request} {
    curl_slist* list = nullptr;
    for (const std::string& header : request.headers)
      list = curl.slist_append(list, header.c_str());
    headers_.reset(list);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Result<HttpResponse> Perform(Method method) {
    if (!handle_) return Fail({ExitCode::kUnavailable, "libcurl cannot start", "", ""});
    SetAddress(method);
    SetBody(method);
    SetReceivers();
    if (socket_name_) SetSocket();
    const CURLcode code = curl_.easy_perform(handle_.get());
    if (auto failure = FailureOf(code)) return Fail(*std::move(failure));
    std::string retry_after = received_["retry-after"];
    return HttpResponse{static_cast<int>(Told(CURLINFO_RESPONSE_CODE)), std::move(body_.bytes),
                        std::move(retry_after), std::move(received_)};
  }

 private:
  template <typename Value>
  void Set(CURLoption option, Value value) {
    curl_.easy_setopt(handle_.get(), option, value);
  }
  long Told(CURLINFO what) const {
    long value = 0;
    curl_.easy_getinfo(handle_.get(), what, &value);
    return value;
  }

  void SetAddress(Method method) {
    Set(CURLOPT_URL, request_.url.c_str());
    if (request_.direct) Set(CURLOPT_NOPROXY, "*");
    Set(CURLOPT_PROTOCOLS_STR, "http,https");
    Set(CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    // A header can carry a token, which libcurl would send to the target of a redirect.
    const bool plain = method == Method::kGet && request_.headers.empty() &&
                       request_.user_password.empty() && !request_.direct;
    Set(CURLOPT_FOLLOWLOCATION, plain ? 1L : 0L);
    Set(CURLOPT_MAXREDIRS, 5L);
    Set(CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
    Set(CURLOPT_NOSIGNAL, 1L);
    // libcurl itself reads only the system's authorities.
    const char* own_authorities = std::getenv("SSL_CERT_FILE");
    if (!request_.ca_file.empty())
      Set(CURLOPT_CAINFO, request_.ca_file.c_str());
    else if (own_authorities && *own_authorities)
      Set(CURLOPT_CAINFO, own_authorities);
  }

  void SetBody(Method method) {
    Set(CURLOPT_HTTPHEADER, headers_.get());
    Set(CURLOPT_USERAGENT, "ebb");
    // All encodings that this libcurl can unpack are accepted; the limit is on unpacked bytes. A
    // range request needs the bytes as they are stored.
    const bool is_part = std::ranges::any_of(
        request_.headers, [](const std::string& header) { return header.starts_with("Range:"); });
    if (!is_part) Set(CURLOPT_ACCEPT_ENCODING, "");
    if (!request_.user_password.empty()) Set(CURLOPT_USERPWD, request_.user_password.c_str());
    if (method == Method::kGet) return;
    if (method == Method::kDelete) {
      Set(CURLOPT_CUSTOMREQUEST, "DELETE");
      return;
    }
    if (method == Method::kPut) Set(CURLOPT_CUSTOMREQUEST, "PUT");
    Set(CURLOPT_POSTFIELDS, request_.body.c_str());
    Set(CURLOPT_POSTFIELDSIZE, static_cast<long>(request_.body.size()));
  }

  void SetReceivers() {
    Set(CURLOPT_ERRORBUFFER, static_cast<char*>(reason_));
    Set(CURLOPT_WRITEFUNCTION, &Receive);
    Set(CURLOPT_WRITEDATA, static_cast<void*>(&body_));
    Set(CURLOPT_HEADERFUNCTION, &ReceiveHeader);
    Set(CURLOPT_HEADERDATA, static_cast<void*>(&received_));
    if (!request_.cancelled) return;
    Set(CURLOPT_NOPROGRESS, 0L);
    Set(CURLOPT_XFERINFOFUNCTION, &StopIfCancelled);
    Set(CURLOPT_XFERINFODATA, static_cast<const void*>(request_.cancelled));
  }

  void SetSocket() {
    Set(CURLOPT_UNIX_SOCKET_PATH, socket_name_->text().c_str());
    Set(CURLOPT_OPENSOCKETFUNCTION, &OpenUnixSocket);
    Set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(&peer_));
    Set(CURLOPT_PREREQFUNCTION, &CheckUnixPeer);
    Set(CURLOPT_PREREQDATA, static_cast<void*>(&peer_));
  }

  std::optional<Error> FailureOf(CURLcode code) const {
    if (body_.too_large)
      return Error{ExitCode::kConfiguration,
                   "the answer is larger than " + std::to_string(request_.limit_bytes) + " bytes",
                   WithoutQuery(request_.url), "check the address"};
    if (!peer_.known) return peer_.known.error();
    if (code == CURLE_COULDNT_CONNECT && socket_name_)
      return Error{ExitCode::kUnavailable,
                   std::string("nobody answers: ") +
                       std::strerror(static_cast<int>(Told(CURLINFO_OS_ERRNO))),
                   request_.unix_socket, ""};
    if (code == CURLE_OK) return std::nullopt;
    const std::string why = reason_[0] != '\0' ? reason_ : curl_.easy_strerror(code);
    return Error{AskingAgainCannotHelp(code) ? ExitCode::kConfiguration : ExitCode::kUnavailable,
                 "request failed: " + why, WithoutQuery(request_.url),
                 "check the address and the network"};
  }

  const Curl& curl_;
  const HttpRequest& request_;
  const std::optional<SocketName> socket_name_;
  const std::unique_ptr<CURL, decltype(Curl::easy_cleanup)> handle_;
  std::unique_ptr<curl_slist, decltype(Curl::slist_free_all)> headers_;
  Body body_;
  Headers received_;
  UnixPeer peer_;
  char reason_[CURL_ERROR_SIZE] = "";
};

Result<HttpResponse> Perform(const HttpRequest& request, Method method) {
  std::optional<SocketName> socket_name;
  if (!request.unix_socket.empty()) {
    EBB_ASSIGN_OR_RETURN(socket_name, SocketName::Of(request.unix_socket));
  }
  EBB_ASSIGN_OR_RETURN(const Curl* curl, LibCurl());
  return Call(*curl, request, std::move(socket_name)).Perform(method);
}

}  // namespace

Result<HttpResponse> HttpGet(const HttpRequest& request) { return Perform(request, Method::kGet); }

Result<HttpResponse> HttpPut(const HttpRequest& request) { return Perform(request, Method::kPut); }

Result<HttpResponse> HttpPost(const HttpRequest& request) {
  return Perform(request, Method::kPost);
}

Result<HttpResponse> HttpDelete(const HttpRequest& request) {
  return Perform(request, Method::kDelete);
}

}  // namespace ebb::platform
