#pragma once
// A chain of digests over records that only grow in number. The link of a record covers the record
// and the link before it, so the last link, the head, stands for all of them in their order: one
// byte that is changed, left out or put in gives another head. It proves something only to those
// who have the head from elsewhere: whoever can write the records can compute all links anew.

#include <string>
#include <string_view>

namespace ebb::platform {

/// 128 bits of SHA-256 as lower-case hexadecimal.
inline constexpr std::size_t kLinkDigits = 32;

/// The link of `record` behind one whose link is `before`; a chain begins with any text as
/// `before`.
std::string NextLink(std::string_view before, std::string_view record);

}  // namespace ebb::platform
