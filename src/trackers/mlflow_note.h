#pragma once
// The file that keeps a run's id at MLflow, so that a later attempt of the run, or its end, finds
// it: the target and the id, a line each. Private to trackers/.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::trackers {

Status WriteRunNote(const std::filesystem::path& note, const std::string& target,
                    const std::string& id);
/// nullopt if there is no note, or if it is for another target.
std::optional<std::string> RunIn(const std::filesystem::path& note, std::string_view target);

}  // namespace ebb::trackers
