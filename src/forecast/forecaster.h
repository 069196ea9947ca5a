#pragma once
// The port for forecasts of intensity from a history. Everything here is pure: no clock, file,
// thread or environment. The same history and moment give the same forecast on every machine,
// whatever was asked before. Method and figures: docs/forecast.md.

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/signal/intensity.h"
#include "core/signal/publication.h"

namespace ebb::forecast {

class Forecaster {
 public:
  virtual ~Forecaster() = default;

  /// Name as MakeForecaster takes it.
  virtual std::string_view name() const = 0;

  /// The forecast at `now` from the samples that begin by then; it never looks at later ones. Rows
  /// have the history's own step, begin at the end of the values known at `now`, and end at `now +
  /// horizon`. They have P50, and P10 and P90 if the history is long enough to know its own errors.
  /// Without a basis for a forecast there is no row. Thread contract: one thread at a time, because
  /// fits are remembered.
  virtual Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                                    Duration horizon) = 0;
};

inline constexpr std::string_view kPersistence = "persistence";
inline constexpr std::string_view kSeasonalNaive = "seasonal-naive";
inline constexpr std::string_view kRidge = "ridge";

std::vector<std::string_view> ForecasterNames();
Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name);
/// The best forecaster that needs only history.
std::unique_ptr<Forecaster> MakeBestForecaster();

/// Adapts `forecaster` to values that are published late: it learns only from values published by
/// then, and its rows begin at their end, so before `now`. The forecast is issued at the begin of
/// the latest known interval.
std::unique_ptr<Forecaster> AsPublished(std::unique_ptr<Forecaster> forecaster,
                                        const core::Publication& publication);

}  // namespace ebb::forecast
