#include "web/http/content_encoding.h"

#include <string>
#include <vector>

#include "base/text.h"

namespace ebb::web {
namespace {

// A peer without an address came by a Unix socket.
bool IsThisMachine(std::string_view peer) {
  return peer.empty() || peer == "::1" || peer.starts_with("127.") ||
         peer.starts_with("::ffff:127.");
}

// A weight of zero ("0", "0.", "0.000") means not acceptable.
bool IsZero(std::string_view weight) {
  return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
}

}  // namespace

std::string_view ContentEncodingFor(std::string_view accept_encoding, std::string_view peer) {
  if (IsThisMachine(peer)) return "";
  for (const std::string_view entry : Split(accept_encoding, ',')) {
    const std::vector<std::string_view> parts = Split(entry, ';');
    const std::string coding = Lowercase(Trim(parts.front()));
    if (coding != "gzip" && coding != "*") continue;
    const std::string weight = Lowercase(parts.size() > 1 ? Trim(parts[1]) : "");
    return weight.starts_with("q=") && IsZero(std::string_view(weight).substr(2)) ? "" : "gzip";
  }
  return "";
}

}  // namespace ebb::web
