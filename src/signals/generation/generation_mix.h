#pragma once
// From rows of time, category and megawatts, as operators publish what their plants generate, to
// grams per kilowatt-hour: the mean of the fuels' factors, weighted by what each generated. It is
// production-based: imports are not in it, and neither is storage. What is not known is a gap: a
// time that lacks a category that matters, or of which more than a tenth comes from plants whose
// fuel is not said. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "signals/generation/fuel.h"
#include "signals/http/payload_points.h"

namespace ebb::signals {

/// What an operator calls its plants.
struct NamedFuel {
  std::string_view category;
  Fuel fuel;
};

/// The fuel of a category, whatever its case; kOther for one that is not in the list.
Fuel FuelOf(std::span<const NamedFuel> names, std::string_view category);

struct GenerationRow {
  Time begin{};
  std::string category;  ///< as the operator calls it: of two rows for one, the later counts
  Fuel fuel = Fuel::kOther;
  std::optional<double> megawatts;  ///< absent: it is not known
};

/// A field that is blank is not known; what is neither blank nor a number is an Error.
Result<std::optional<double>> MegawattsFrom(std::string_view field, const std::string& where);

/// A point for each time that has rows, which holds for `step`: a gap where the mean is not known.
/// Plants that use more than they generate (solar ones at night) generate nothing.
Result<std::vector<Point>> IntensityOf(const std::vector<GenerationRow>& rows, Duration step,
                                       core::Boundary boundary, const std::string& where);

}  // namespace ebb::signals
