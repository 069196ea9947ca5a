#pragma once
// The head of an HTTP/1.1 request, checked byte by byte before any library reads it: where the
// request ends must be said once, and in a way that whoever stands before us (a proxy) reads as we
// do. RFC 9112, sections 2.2, 3, 3.2, 5.1, 5.2, 6.1 and 6.3; RFC 9110, section 7.2. Pure.
//
// Stricter than these where they leave a choice: lines end with CR LF only, a body has a length in
// advance (no chunks: 411) and is not compressed (415: it could be a thousand times larger than it
// says).

#include <cstdint>
#include <string>
#include <string_view>

namespace ebb::web {

struct RequestHead {
  int refusal = 0;               ///< an HTTP status; 0: it may be read
  std::string why;               ///< it is refused: "has ..."
  std::uint64_t body_bytes = 0;  ///< that follow
};

/// `head`: from the first byte of the request to the empty line, which is part of it.
RequestHead CheckHead(std::string_view head);

}  // namespace ebb::web
