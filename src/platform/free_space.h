#pragma once
// Finds out whether a failure comes from a full disk. It asks the disk itself, because libraries
// report a full disk as many different errors.

#include "platform/file.h"

namespace ebb::platform {

/// False if a file of `bytes` bytes cannot be written in the directory because the disk is full, or
/// because a quota or a limit of file size is reached. True also if another reason prevents writing
/// it. Leaves no file behind.
bool HasRoomFor(const Path& directory, std::uint64_t bytes);

}  // namespace ebb::platform
