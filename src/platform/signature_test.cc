#include "platform/signature.h"

#include <gtest/gtest.h>

namespace ebb::platform {
namespace {

TEST(Signature, IsThatOfThisKeyAndThisText) {
  const auto keys = MakeSigningKeys();
  const auto other = MakeSigningKeys();
  ASSERT_TRUE(keys && other);
  EXPECT_NE(keys->secret_key, other->secret_key);
  const std::string signature = Sign(keys->secret_key, "exit code 0");
  EXPECT_EQ(signature.size(), 88u);
  EXPECT_TRUE(IsSigned(keys->public_key, "exit code 0", signature));
  EXPECT_FALSE(IsSigned(keys->public_key, "exit code 1", signature));
  EXPECT_FALSE(IsSigned(other->public_key, "exit code 0", signature));
  EXPECT_FALSE(IsSigned(keys->public_key, "exit code 0", Sign(other->secret_key, "exit code 0")));
}

TEST(Signature, WhatIsNotAKeyOrASignatureIsRefused) {
  const auto keys = MakeSigningKeys();
  ASSERT_TRUE(keys);
  const std::string signature = Sign(keys->secret_key, "text");
  for (const std::string& bad : {std::string(), std::string("0"), std::string(88, 'z'),
                                 signature.substr(4), signature + "AAAA"}) {
    EXPECT_FALSE(IsSigned(keys->public_key, "text", bad)) << bad;
    EXPECT_FALSE(IsSigned(bad, "text", signature)) << bad;
    EXPECT_EQ(Sign(bad, "text"), "") << bad;
  }
}

// RFC 8032, section 7.1, test 2.
TEST(Signature, IsEd25519) {
  const std::string secret = "TM0Imyj/ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U+4pvs=";
  const std::string open = "PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=";
  const std::string signature =
      "kqAJqfDUyrhyDoILX2QlQKKye1QWUD+Ps3YiI+vbadoIWsHkPhWZbkWPNhPQ8R2MOHsurrQwKu6wDSkWErsMAA==";
  EXPECT_EQ(Sign(secret, "r"), signature);
  EXPECT_TRUE(IsSigned(open, "r", signature));
}

}  // namespace
}  // namespace ebb::platform
