#include "platform/random_bytes.h"

#include <sys/random.h>

namespace ebb::platform {

Status FillWithRandom(std::span<unsigned char> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Fail({ExitCode::kUnavailable, "the system gives no random numbers", "",
                 "use Linux 3.17 or later"});
  return {};
}

}  // namespace ebb::platform
