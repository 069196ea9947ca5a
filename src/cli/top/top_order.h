#pragma once
// The orders in which ebb top lists jobs. A job without the figure comes last. Pure.

#include <optional>
#include <string_view>
#include <vector>

#include "cli/top/top_sample.h"

namespace ebb::cli {

enum class TopOrder { kStage, kPower, kEmissions, kEnergy, kProgress, kElapsed, kEnd, kNumber };
inline constexpr TopOrder kLastTopOrder = TopOrder::kNumber;

/// "stage", "power", "grams", ...
std::string_view Name(TopOrder order);
std::optional<TopOrder> TopOrderFromName(std::string_view name);
/// The order `by` steps after this one; after the last one comes the first.
TopOrder Next(TopOrder order, int by);
/// Figures: the largest first. Stages: what runs, what is paused, what waits. Expected ends and
/// numbers: the earliest first. Equal ones by number.
void Sort(std::vector<TopJob>& jobs, TopOrder order);

}  // namespace ebb::cli
