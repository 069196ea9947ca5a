#pragma once
// The decisions of a sweep on this machine, made again from its journal by the policy that it was
// begun with. Its runs are audited as run directories.

#include <filesystem>

#include "audit/findings.h"
#include "base/result.h"

namespace ebb::cli {

/// Whether the directory is that of a sweep that `ebb sweep run` began.
bool HoldsSweep(const std::filesystem::path& directory);

Result<audit::Audit> AuditSweep(const std::filesystem::path& directory);

}  // namespace ebb::cli
