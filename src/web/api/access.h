#pragma once
// Who may do what. Reading is open to whoever reaches the address (loopback unless told otherwise);
// anything that changes something needs the token. A web page of another origin gets nothing: its
// browser names the origin, and the host it believes to speak to.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "web/http/http_server.h"

namespace ebb::web {

struct AccessOptions {
  std::string token;
  /// Whether reading needs the token too: where others than this machine can reach the address.
  bool token_to_read = false;
  /// Names under which the service may be spoken to, beside localhost and addresses.
  std::vector<std::string> hosts;
};

/// The answer that refuses what comes from elsewhere: under another host name, or from a page of
/// another origin; nothing when it may go on.
std::optional<HttpResponse> RefusalOfOrigin(const HttpRequest& request,
                                            const AccessOptions& options);
/// The same where the token is needed and not there.
std::optional<HttpResponse> RefusalOfToken(const HttpRequest& request,
                                           const AccessOptions& options);

struct Token {
  std::string text;
  uid_t owner = 0;  ///< of the file: who may have it
};
/// An Error when others than its owner can read it.
Result<Token> ReadToken(const std::filesystem::path& file);
/// The request has this token.
bool HasToken(const HttpRequest& request, const std::string& token);

/// This user's: 256 random bits in a file that only its owner can read; made where there is none.
Result<std::string> OpenToken(const std::filesystem::path& file);

}  // namespace ebb::web
