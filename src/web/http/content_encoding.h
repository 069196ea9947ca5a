#pragma once
// What answers are packed with. The library would take Brotli at its highest level for whoever
// accepts it, which browsers do: a third of a second for the charting library, each time. Pure.

#include <string_view>

namespace ebb::web {

/// "gzip" where the peer accepts it (RFC 9110, section 12.5.3), else "". Nothing for a peer on this
/// machine: copying the bytes takes less time than packing them.
std::string_view ContentEncodingFor(std::string_view accept_encoding, std::string_view peer);

}  // namespace ebb::web
