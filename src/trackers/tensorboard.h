#pragma once
// TensorBoard as a tracker: one event file for each attempt, in the run's DIR/NAME.

#include <filesystem>

#include "trackers/tracker.h"

namespace ebb::trackers {

std::unique_ptr<Tracker> MakeTensorBoard(std::filesystem::path directory);

}  // namespace ebb::trackers
