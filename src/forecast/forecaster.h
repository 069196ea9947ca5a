#pragma once
// The port between a history of intensity and what it lets one expect. Everything here is pure: no
// clock, file, thread or environment, and the same history and moment give the same forecast on
// every machine, whatever was asked before. Method and figures: docs/forecast.md.

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "core/intensity.h"
#include "core/publication.h"

namespace ebb::forecast {

class Forecaster {
 public:
  virtual ~Forecaster() = default;

  /// As it is given to MakeForecaster.
  virtual std::string_view name() const = 0;

  /// What was to be expected at `now` from the samples that begin by then; later ones are never
  /// looked at. Rows have the history's own step, begin where what is known at `now` ends, and end
  /// at `now + horizon`. P50, with P10 and P90 where the history is long enough to know its own
  /// errors. Where nothing can be said there is no row. One thread at a time: fits are remembered.
  virtual Result<core::Forecast> At(const core::IntensitySeries& history, Time now,
                                    Duration horizon) = 0;
};

inline constexpr std::string_view kPersistence = "persistence";
inline constexpr std::string_view kSeasonalNaive = "seasonal-naive";
inline constexpr std::string_view kRidge = "ridge";

std::vector<std::string_view> ForecasterNames();
Result<std::unique_ptr<Forecaster>> MakeForecaster(std::string_view name);
/// The best one that needs nothing but history.
std::unique_ptr<Forecaster> MakeBestForecaster();

/// `forecaster` where values are published late: it learns from what was published by then only,
/// and its rows begin where that ends, so before `now`. Issued: when the latest known interval
/// began.
std::unique_ptr<Forecaster> AsPublished(std::unique_ptr<Forecaster> forecaster,
                                        const core::Publication& publication);

}  // namespace ebb::forecast
