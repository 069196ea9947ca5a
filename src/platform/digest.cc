#include "platform/digest.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"
#include "platform/libcrypto.h"
#include "platform/shared_file.h"

namespace ebb::platform {
namespace {

std::string Hex(const unsigned char* digest, unsigned int length) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

std::string DigestHex(std::string_view data, const EVP_MD* algorithm) {
  static auto* const evp_digest = EBB_LIBCRYPTO(EVP_Digest);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EBB_CHECK(evp_digest(data.data(), data.size(), digest, &length, algorithm, nullptr) == 1);
  return Hex(digest, length);
}

}  // namespace

std::string Sha256Hex(std::string_view data) {
  return DigestHex(data, EBB_LIBCRYPTO(EVP_sha256)());
}
std::string HmacSha256Hex(std::string_view key, std::string_view data) {
  static auto* const hmac = EBB_LIBCRYPTO(HMAC);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EBB_CHECK(hmac(EBB_LIBCRYPTO(EVP_sha256)(), key.data(), static_cast<int>(key.size()),
                 reinterpret_cast<const unsigned char*>(data.data()), data.size(), digest,
                 &length) != nullptr);
  return Hex(digest, length);
}

Result<FileDigest> Sha256OfFile(const Path& path) {
  constexpr std::uint64_t kPiece = 1 << 20;
  EBB_ASSIGN_OR_RETURN(const SharedFile file, SharedFile::Open(path));
  EVP_MD_CTX* const context = EBB_LIBCRYPTO(EVP_MD_CTX_new)();
  EBB_CHECK(context != nullptr &&
            EBB_LIBCRYPTO(EVP_DigestInit_ex)(context, EBB_LIBCRYPTO(EVP_sha256)(), nullptr) == 1);
  FileDigest digest;
  for (;;) {
    const std::string piece = file.Read(digest.size, kPiece);
    if (piece.empty()) break;
    EBB_CHECK(EBB_LIBCRYPTO(EVP_DigestUpdate)(context, piece.data(), piece.size()) == 1);
    digest.size += piece.size();
  }
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  EBB_CHECK(EBB_LIBCRYPTO(EVP_DigestFinal_ex)(context, bytes, &length) == 1);
  EBB_LIBCRYPTO(EVP_MD_CTX_free)(context);
  digest.sha256 = Hex(bytes, length);
  return digest;
}

std::string Md5Hex(std::string_view data) { return DigestHex(data, EBB_LIBCRYPTO(EVP_md5)()); }

}  // namespace ebb::platform
