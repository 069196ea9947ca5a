#pragma once
// Signatures (Ed25519, OpenSSL): a holder of the public key can verify that a text comes from the
// holder of the secret key. Keys and signatures are texts, in Base64.

#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::platform {

struct SigningKeys {
  std::string secret_key;
  std::string public_key;
};

/// Makes a new pair of keys.
Result<SigningKeys> MakeSigningKeys();
/// The signature of the text; empty if the key is not one that MakeSigningKeys made.
std::string Sign(const std::string& secret_key, std::string_view text);
bool IsSigned(const std::string& public_key, std::string_view text, const std::string& signature);

}  // namespace ebb::platform
