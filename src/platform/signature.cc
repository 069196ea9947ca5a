#include "platform/signature.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "base/base64.h"
#include "platform/libcrypto.h"
#include "platform/random_bytes.h"

namespace ebb::platform {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kSignatureBytes = 64;

struct Freed {
  void operator()(EVP_PKEY* key) const { EBB_LIBCRYPTO(EVP_PKEY_free)(key); }
  void operator()(EVP_MD_CTX* context) const { EBB_LIBCRYPTO(EVP_MD_CTX_free)(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Freed>;
using Context = std::unique_ptr<EVP_MD_CTX, Freed>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string ToText(const unsigned char* bytes, std::size_t length) {
  return ToBase64({reinterpret_cast<const char*>(bytes), length});
}

// The decoded bytes; empty if there are not `length` bytes.
std::string FromText(std::string_view text, std::size_t length) {
  std::string bytes = FromBase64(text).value_or("");
  return bytes.size() == length ? bytes : "";
}

Key SecretKey(std::string_view text) {
  const std::string bytes = FromText(text, kKeyBytes);
  if (bytes.empty()) return nullptr;
  return Key(EBB_LIBCRYPTO(EVP_PKEY_new_raw_private_key)(EVP_PKEY_ED25519, nullptr, Bytes(bytes),
                                                         bytes.size()));
}

Key PublicKey(std::string_view text) {
  const std::string bytes = FromText(text, kKeyBytes);
  if (bytes.empty()) return nullptr;
  return Key(EBB_LIBCRYPTO(EVP_PKEY_new_raw_public_key)(EVP_PKEY_ED25519, nullptr, Bytes(bytes),
                                                        bytes.size()));
}

}  // namespace

Result<SigningKeys> MakeSigningKeys() {
  std::array<unsigned char, kKeyBytes> seed{};
  EBB_RETURN_IF_ERROR(FillWithRandom(seed));
  SigningKeys keys;
  keys.secret_key = ToText(seed.data(), seed.size());
  std::array<unsigned char, kKeyBytes> open{};
  std::size_t length = open.size();
  const Key key = SecretKey(keys.secret_key);
  if (!key || EBB_LIBCRYPTO(EVP_PKEY_get_raw_public_key)(key.get(), open.data(), &length) != 1)
    return Fail({ExitCode::kUnavailable, "OpenSSL makes no Ed25519 keys", "",
                 "install OpenSSL 3 with its default provider"});
  keys.public_key = ToText(open.data(), length);
  return keys;
}

std::string Sign(const std::string& secret_key, std::string_view text) {
  const Key key = SecretKey(secret_key);
  const Context context(EBB_LIBCRYPTO(EVP_MD_CTX_new)());
  std::array<unsigned char, kSignatureBytes> signature{};
  std::size_t length = signature.size();
  if (!key ||
      EBB_LIBCRYPTO(EVP_DigestSignInit)(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EBB_LIBCRYPTO(EVP_DigestSign)(context.get(), signature.data(), &length, Bytes(text),
                                    text.size()) != 1)
    return {};
  return ToText(signature.data(), length);
}

bool IsSigned(const std::string& public_key, std::string_view text, const std::string& signature) {
  const Key key = PublicKey(public_key);
  const std::string bytes = FromText(signature, kSignatureBytes);
  if (!key || bytes.empty()) return false;
  const Context context(EBB_LIBCRYPTO(EVP_MD_CTX_new)());
  return EBB_LIBCRYPTO(EVP_DigestVerifyInit)(context.get(), nullptr, nullptr, nullptr, key.get()) ==
             1 &&
         EBB_LIBCRYPTO(EVP_DigestVerify)(context.get(), Bytes(bytes), bytes.size(), Bytes(text),
                                         text.size()) == 1;
}

}  // namespace ebb::platform
