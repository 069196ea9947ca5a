#pragma once
// Drops the beginning of a file that another program appends to. The blocks go back to the file
// system, but all offsets stay the same, so neither the writer nor a following reader notices. The
// dropped part becomes a hole (fallocate(2), FALLOC_FL_PUNCH_HOLE) on ext4, XFS, btrfs and tmpfs.

#include <cstdint>

#include "platform/file.h"

namespace ebb::platform {

/// Drops the whole blocks before `offset`. Fails if the file system does not support holes.
Status DropBeginning(const Path& path, std::uint64_t offset);

}  // namespace ebb::platform
