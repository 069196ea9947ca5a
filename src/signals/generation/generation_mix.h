#pragma once
// Turns rows of time, category and megawatts, as operators publish their generation, into grams per
// kilowatt-hour: the mean of the fuels' factors, weighted by generation. It is production-based:
// imports are not in it, and neither is storage. A time is a gap if it lacks a category that
// matters, or if more than a tenth of its generation is of unknown fuel. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signals/generation/fuel.h"
#include "signals/http/payload_points.h"

namespace ebb::signals {

/// An operator's name for a category of plants.
struct NamedFuel {
  std::string_view category;
  Fuel fuel;
};

/// The fuel of a category, in any case of letters; kOther for one that is not in the list.
Fuel FuelOf(std::span<const NamedFuel> names, std::string_view category);

struct GenerationRow {
  Time begin{};
  std::string category;  ///< the operator's name; if two rows have the same, the later one counts
  Fuel fuel = Fuel::kOther;
  std::optional<double> megawatts;  ///< absent: unknown
};

/// The megawatts in a field; a blank field is unknown. An Error if it is neither blank nor a
/// number.
Result<std::optional<double>> MegawattsFrom(std::string_view field, const std::string& where);

/// A point of length `step` for each time that has rows; it is a gap if the mean is unknown. Plants
/// that use more than they generate (solar ones at night) count as generating nothing.
Result<std::vector<Point>> IntensityOf(const std::vector<GenerationRow>& rows, Duration step,
                                       core::Boundary boundary, const std::string& where);

}  // namespace ebb::signals
