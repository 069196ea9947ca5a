#pragma once
// Decides who may do what. Anybody who reaches the address may read (the address is loopback by
// default); changes need the token. A web page of another origin is refused: its browser states the
// origin and the host that it believes it is talking to.

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "web/http/http_server.h"

namespace ebb::web {

struct AccessOptions {
  std::string token;
  /// Reading needs the token too, for addresses that other machines can reach.
  bool token_to_read = false;
  /// Host names under which the service may be addressed, beside localhost and IP addresses.
  std::vector<std::string> hosts;
};

/// The refusal of a request under another host name or from a page of another origin; nullopt if
/// the request may go on.
std::optional<HttpResponse> RefusalOfOrigin(const HttpRequest& request,
                                            const AccessOptions& options);
/// The refusal of a request that needs the token and does not have it; nullopt if it may go on.
std::optional<HttpResponse> RefusalOfToken(const HttpRequest& request,
                                           const AccessOptions& options);

struct Token {
  std::string text;
  uid_t owner = 0;  ///< owner of the file, who may replace the token
};
/// Reads a token. An Error if anybody but its owner can read the file.
Result<Token> ReadToken(const std::filesystem::path& file);
/// True if the request has this token.
bool HasToken(const HttpRequest& request, const std::string& token);

/// This user's token: 256 random bits in a file that only its owner can read. Creates the file if
/// there is none.
Result<std::string> OpenToken(const std::filesystem::path& file);

}  // namespace ebb::web
