#pragma once
// TensorBoard: one event file for each attempt, in DIR/NAME of the run.

#include <filesystem>

#include "trackers/tracker.h"

namespace ebb::trackers {

std::unique_ptr<Tracker> MakeTensorBoard(std::filesystem::path directory);

}  // namespace ebb::trackers
