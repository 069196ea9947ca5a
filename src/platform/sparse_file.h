#pragma once
// A file that somebody else appends to, and whose beginning is given up: its blocks go back to the
// file system, while every offset stays what it was, so that neither the writer nor a reader that
// follows has to know. A hole (fallocate(2), FALLOC_FL_PUNCH_HOLE) on ext4, XFS, btrfs and tmpfs.

#include <cstdint>

#include "platform/file.h"

namespace ebb::platform {

/// Whole blocks before `offset` are given up. An Error where the file system cannot.
Status DropBeginning(const Path& path, std::uint64_t offset);

}  // namespace ebb::platform
