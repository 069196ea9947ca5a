#pragma once
// Content digests (OpenSSL). MD5 only to compare with digests published as MD5, never for security.

#include <string>
#include <string_view>

namespace ebb::platform {

/// The SHA-256 digest in lower-case hexadecimal.
std::string Sha256Hex(std::string_view data);
/// HMAC (RFC 2104) with SHA-256, in lower-case hexadecimal. It proves to those who know the key
/// that the data comes from a holder of the key.
std::string HmacSha256Hex(std::string_view key, std::string_view data);
std::string Md5Hex(std::string_view data);

}  // namespace ebb::platform
