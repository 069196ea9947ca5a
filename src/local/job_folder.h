#pragma once
// The folder of a job (jobs/4 beside the store) as a whole: whether something runs there, and how
// it is put out of the way where another job has its number now. Which job a folder belongs to
// stands in the plans of its attempts (AttemptPlan::identity).

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ebb::local {

/// The supervisor of the last attempt, while it runs.
std::optional<int> RunningSupervisor(const std::filesystem::path& folder);

/// Whether all that a plan in it says of its store is this file's name: two stores in one directory
/// share the folder of their jobs. A folder without a plan belongs to any.
bool MayBelongTo(const std::filesystem::path& folder, const std::filesystem::path& store);

/// Moves the folder into set-aside/ beside it, under a name of its own, and says where it is now.
/// Nothing is deleted. An Error where its program still runs.
Result<std::filesystem::path> SetFolderAside(const std::filesystem::path& folder);

/// Gives a job what another one has left under checkpoints/, as hard links, so that it costs no
/// space and no time: programs replace checkpoints, they do not write into them. Links and other
/// things that are not plain files are left out. A job that has checkpoints keeps its own.
Status TakeOverCheckpoints(const std::filesystem::path& from, const std::filesystem::path& to);

/// Something under checkpoints/ was written since then, as files have their times.
bool HasNewCheckpoint(const std::filesystem::path& folder, Time since);

}  // namespace ebb::local
