#include "platform/digest_chain.h"

#include "platform/digest.h"

namespace ebb::platform {

std::string NextLink(std::string_view before, std::string_view record) {
  std::string text;
  text.reserve(before.size() + 1 + record.size());
  text.append(before).append(1, '\n').append(record);
  return Sha256Hex(text).substr(0, kLinkDigits);
}

}  // namespace ebb::platform
