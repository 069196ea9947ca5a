#pragma once
// Chooses the compression of answers. The library would use Brotli at its highest level for every
// peer that accepts it, as browsers do: that takes a third of a second for the charting library,
// every time. Pure.

#include <string_view>

namespace ebb::web {

/// "gzip" if the peer accepts it (RFC 9110, section 12.5.3), else "". Always "" for a peer on this
/// machine, because copying the bytes is faster than compressing them.
std::string_view ContentEncodingFor(std::string_view accept_encoding, std::string_view peer);

}  // namespace ebb::web
