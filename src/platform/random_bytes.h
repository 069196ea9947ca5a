// Random bytes from the system, for tokens and for identities that must not come twice.
#pragma once

#include <span>

#include "base/result.h"

namespace ebb::platform {

// Fills all of `bytes`, at most 256 of them. The bytes come from the kernel, which answers in less
// than a microsecond: std::random_device asks the processor, which took 12 us for each number on a
// virtual machine. Fails only if the kernel has no such call. Safe from any thread.
Status FillWithRandom(std::span<unsigned char> bytes);

}  // namespace ebb::platform
