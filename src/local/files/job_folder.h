#pragma once
// The folder of a job (jobs/4 beside the store) as a whole: finds out if something runs there, and
// sets the folder aside if another job has its number now. The plans of its attempts tell which job
// a folder belongs to (AttemptPlan::identity).

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"

namespace ebb::local {

/// Process of the last attempt's supervisor, while it runs.
std::optional<int> RunningSupervisor(const std::filesystem::path& folder);

/// Tells if every plan in the folder names a store with this file name: two stores in one directory
/// share the folder of their jobs. A folder without a plan may belong to any store.
bool MayBelongTo(const std::filesystem::path& folder, const std::filesystem::path& store);

/// Moves the folder into set-aside/ beside it, under a unique name, and returns its new place.
/// Nothing is deleted. An Error: its program still runs.
Result<std::filesystem::path> SetFolderAside(const std::filesystem::path& folder);

/// Gives a job the files that another one left under checkpoints/, as hard links, so that it costs
/// no space and no time: programs replace checkpoints, they do not write into them. Links and other
/// things that are not plain files are left out. A job that has checkpoints keeps its own.
Status TakeOverCheckpoints(const std::filesystem::path& from, const std::filesystem::path& to);

/// Tells if a file under checkpoints/ was written since `since`, by the time of the file.
bool HasNewCheckpoint(const std::filesystem::path& folder, Time since);

/// Bytes of the files under checkpoints/.
std::int64_t CheckpointBytes(const std::filesystem::path& folder);

}  // namespace ebb::local
