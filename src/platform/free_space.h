#pragma once
// Whether a full disk is what is wrong, asked of the disk itself: by way of libraries its error
// comes in many forms.

#include "platform/file.h"

namespace ebb::platform {

/// False where a file of so many bytes cannot be written in the directory because the disk is full,
/// or a quota or a limit of file size is reached. True also where another reason keeps it from
/// being written. Nothing stays behind.
bool HasRoomFor(const Path& directory, std::uint64_t bytes);

}  // namespace ebb::platform
