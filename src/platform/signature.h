#pragma once
// Signatures (Ed25519, OpenSSL): whoever has the public key can tell that a text comes from the one
// who has the secret key. Keys and signatures are texts, in Base64.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::platform {

struct SigningKeys {
  std::string secret_key;
  std::string public_key;
};

/// New ones.
Result<SigningKeys> MakeSigningKeys();
/// Empty if the key is not one that MakeSigningKeys made.
std::string Sign(const std::string& secret_key, std::string_view text);
bool IsSigned(const std::string& public_key, std::string_view text, const std::string& signature);

}  // namespace ebb::platform
