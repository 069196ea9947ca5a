#pragma once
// The auditor's own arithmetic: energy in whole microjoules, time in whole milliseconds, grams as
// docs/METHOD.md has them. It shares no code with what writes the figures (core/ledger,
// core/accounting, core/counterfactual, core/cost, core/uncertainty): tests/layering_test.cc keeps
// it so. Pure.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ebb::audit {

using Ms = std::int64_t;

/// [begin, end) in milliseconds since 1970 UTC.
struct Span {
  Ms begin = 0, end = 0;
  Ms length() const { return end > begin ? end - begin : 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// In the order of the files' words; the numbers index the tables below.
inline constexpr std::array kComponents{"cpu", "gpu", "ram"};
inline constexpr std::array kSources{"counter", "power_integral", "model"};
inline constexpr std::array kStatuses{"measured", "estimated", "forecast", "modelled"};
inline constexpr std::array kKinds{"average", "marginal"};

/// A value over an interval: of the carbon signal, or of a price.
struct Step {
  Span span;
  double value = 0;
  int status = 0;
};
/// In order, without overlap; gaps are gaps.
using Steps = std::vector<Step>;

/// A ledger row, or a part of one that lies within one value of the signal.
struct Row {
  int attempt = 1;
  int component = 0, source = 0;
  bool shared = false;  ///< of a GPU: a part of what was read for all of it
  Span wall, grid;
  std::int64_t microjoules = 0;
  double pue = 1;
  std::optional<double> g_per_kwh;
  int status = 0;
  bool has_other = false;
  std::optional<double> other_g_per_kwh;
  int other_status = 0, other_kind = 0;

  /// 0 where the intensity is unknown.
  double grams() const;
};
using Rows = std::vector<Row>;

/// The part of `microjoules` over `whole` that falls before `until`, toward zero: what parts are
/// differences of, so that they add up.
std::int64_t EnergyBefore(std::int64_t microjoules, Span whole, Ms until);

/// The version of the signal, and where it has no value what the rows were accounted at: the better
/// status, of equals the later row; a moment counts as a millisecond where no longer row is.
Steps AccountingSteps(const Steps& version, const Rows& rows);

/// The row with its grid interval at `place`, cut where the signal changes, with the signal's
/// values.
void AddParts(const Row& row, Span place, const Steps& signal, Rows& parts);
/// All of them where they are.
Rows Revalued(const Rows& rows, const Steps& signal);
/// Likewise with the first row at `start` and times without any attempt closed up.
Rows MovedTo(const Rows& rows, Ms start, const Steps& signal);
/// The places of the rows in that case.
std::vector<Span> PlacesFrom(const Rows& rows, Ms start);
bool HasPaused(const Rows& rows);
Span Extent(const Rows& rows);  ///< on the grid

struct Sums {
  std::int64_t microjoules = 0, facility = 0, without = 0;  ///< all in microjoules
  double grams = 0;
  std::array<std::int64_t, 3> by_component{}, by_source{};
  std::array<std::int64_t, 4> by_status{};

  void Add(const Row& row, std::int64_t energy);
  std::optional<double> MeanIntensity() const;
};
Sums SumsOf(const Rows& rows);
/// Of what fell into `wall`, by time.
Sums SumsWithin(const Rows& rows, Span wall);

/// The same rows on the second signal; none where there is none.
Rows OnOther(const Rows& rows);

/// Another start, or another way to run the same energy.
struct Alternative {
  Ms start = 0;
  double grams = 0;
  std::int64_t without = 0;  ///< microjoules of unknown intensity
};
Alternative AlternativeOf(const Rows& rows, Ms start);

/// The lowest start in [starts.begin, starts.end] by whole minutes from its beginning, wholly on
/// known values.
std::optional<Alternative> LowestStart(const Rows& rows, Span starts, const Steps& published);
/// The lowest with free pauses inside `window` (docs/METHOD.md, Savings); `start`: of those that
/// begin there.
std::optional<Alternative> LowestWithPauses(const Rows& rows, Span window, const Steps& published,
                                            std::optional<Ms> start = {});

struct Cost {
  double amount = 0, priced_kwh = 0, unpriced_kwh = 0;
};
Cost CostOf(const Rows& rows, const std::vector<Span>& places, const Steps& prices);

}  // namespace ebb::audit
