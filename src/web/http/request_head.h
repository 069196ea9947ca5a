#pragma once
// Checks the head of an HTTP/1.1 request byte by byte before a library reads it. The head must
// state the end of the request once, and so that a proxy in front of Ebb reads it in the same way.
// RFC 9112, sections 2.2, 3, 3.2, 5.1, 5.2, 6.1 and 6.3; RFC 9110, section 7.2. Pure.
//
// Stricter than these where they leave a choice: lines end with CR LF only, a body has a length in
// advance (no chunks: 411) and is not compressed (415: it could be a thousand times larger than it
// says).

#include <cstdint>
#include <string>
#include <string_view>

namespace ebb::web {

struct RequestHead {
  int refusal = 0;               ///< HTTP status of the refusal; 0 if accepted
  std::string why;               ///< reason of the refusal: "has ..."
  std::string_view method;       ///< points into the head, at its first byte
  std::uint64_t body_bytes = 0;  ///< length of the body
};

/// `head`: the bytes from the first of the request through the empty line.
RequestHead CheckHead(std::string_view head);

}  // namespace ebb::web
