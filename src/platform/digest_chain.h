#pragma once
// A chain of digests over records that only grow in number. The link of a record covers the record
// and the link before it, so the last link, the head, stands for all of them in their order:
// changing, removing or inserting one byte gives another head. The chain proves something only to
// readers who have the head from another place, because anyone who can write the records can
// compute all links anew.

#include <string>
#include <string_view>

namespace ebb::platform {

/// 128 bits of SHA-256 as lower-case hexadecimal.
inline constexpr std::size_t kLinkDigits = 32;

/// The link of `record`, where `before` is the link of the record before it. A chain begins with
/// any text as `before`.
std::string NextLink(std::string_view before, std::string_view record);

}  // namespace ebb::platform
