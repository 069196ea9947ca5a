#pragma once
// Content digests (OpenSSL). MD5 only to compare with digests published as MD5, never for security.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "platform/file.h"

namespace ebb::platform {

/// The SHA-256 digest in lower-case hexadecimal.
std::string Sha256Hex(std::string_view data);
/// HMAC (RFC 2104) with SHA-256, in lower-case hexadecimal. It proves to those who know the key
/// that the data comes from a holder of the key.
std::string HmacSha256Hex(std::string_view key, std::string_view data);
struct FileDigest {
  std::uint64_t size = 0;  ///< of the bytes that were read
  std::string sha256;
};
/// Reads a regular file of any length.
Result<FileDigest> Sha256OfFile(const Path& path);
std::string Md5Hex(std::string_view data);

}  // namespace ebb::platform
