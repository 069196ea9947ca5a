#include "platform/digest.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace ebb::platform {
namespace {

std::string Hex(std::string_view data, const EVP_MD* algorithm) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EBB_CHECK(EVP_Digest(data.data(), data.size(), digest, &length, algorithm, nullptr) == 1);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

}  // namespace

std::string Sha256Hex(std::string_view data) { return Hex(data, EVP_sha256()); }
std::string Md5Hex(std::string_view data) { return Hex(data, EVP_md5()); }

}  // namespace ebb::platform
