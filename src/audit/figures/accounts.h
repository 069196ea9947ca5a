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

/// A time span [begin, end) in milliseconds since 1970 UTC.
struct Span {
  Ms begin = 0, end = 0;
  Ms length() const { return end > begin ? end - begin : 0; }
  friend bool operator==(const Span&, const Span&) = default;
};

/// The words of the files. `component`, `source`, `status` and `kind` below are indices into these
/// tables.
inline constexpr std::array kComponents{"cpu", "gpu", "ram"};
inline constexpr std::array kSources{"counter", "power_integral", "model"};
inline constexpr std::array kStatuses{"measured", "estimated", "forecast", "modelled"};
inline constexpr std::array kKinds{"average", "marginal"};

/// The value of the carbon signal, or of a price, over an interval.
struct Step {
  Span span;
  double value = 0;
  int status = 0;
};
/// Steps are in order and do not overlap; there may be gaps.
using Steps = std::vector<Step>;

/// A ledger row, or a part of one that lies within one value of the signal.
struct Row {
  int attempt = 1;
  int component = 0, source = 0;
  bool shared = false;  ///< the row is a GPU's and holds a part of a reading of the whole GPU
  Span wall, grid;
  std::int64_t microjoules = 0;
  double pue = 1;
  std::optional<double> g_per_kwh;
  int status = 0;
  bool has_other = false;
  std::optional<double> other_g_per_kwh;
  int other_status = 0, other_kind = 0;

  /// 0 if the intensity is unknown.
  double grams() const;
};
using Rows = std::vector<Row>;

/// The part of `microjoules` that falls before `until`, if the energy is spread evenly over
/// `whole`; rounded toward zero. Parts are differences of such values, so that they add up exactly.
std::int64_t EnergyBefore(std::int64_t microjoules, Span whole, Ms until);

/// The version of the signal; its gaps are filled with the values that the rows were accounted at.
/// If rows disagree, the row with the better status wins, then the later row. A row without length
/// counts as one millisecond if no longer row covers that time.
Steps AccountingSteps(const Steps& version, const Rows& rows);

/// Appends the row to `parts` with its grid interval moved to `place`, cut where the signal
/// changes, with the values of the signal.
void AddParts(const Row& row, Span place, const Steps& signal, Rows& parts);
/// The rows at their own times, with the values of `signal`.
Rows Revalued(const Rows& rows, const Steps& signal);
/// The rows moved so that the first begins at `start`, without the times in which no attempt ran,
/// with the values of `signal`.
Rows MovedTo(const Rows& rows, Ms start, const Steps& signal);
/// The grid interval of each row after such a move.
std::vector<Span> PlacesFrom(const Rows& rows, Ms start);
bool HasPaused(const Rows& rows);
Span Extent(const Rows& rows);  ///< the interval on the grid from the first row to the last

struct Sums {
  std::int64_t microjoules = 0, facility = 0, without = 0;  ///< facility energy, and energy without
                                                            ///< a known intensity; all in
                                                            ///< microjoules
  double grams = 0;
  std::array<std::int64_t, 3> by_component{}, by_source{};
  std::array<std::int64_t, 4> by_status{};

  void Add(const Row& row, std::int64_t energy);
  std::optional<double> MeanIntensity() const;
};
Sums SumsOf(const Rows& rows);
/// The sums of the energy that fell into `wall`; a row that is partly inside counts by its share of
/// time.
Sums SumsWithin(const Rows& rows, Span wall);

/// The rows valued at the second signal; empty if there is none.
Rows OnOther(const Rows& rows);

/// The same energy at another start, or run in another way.
struct Alternative {
  Ms start = 0;
  double grams = 0;
  std::int64_t without = 0;  ///< energy of unknown intensity, in microjoules
};
Alternative AlternativeOf(const Rows& rows, Ms start);

/// The emissions in grams of the whole run from each of `starts` on; nullopt where a part of it has
/// no value.
std::vector<std::optional<double>> GramsFrom(const Rows& rows, const std::vector<Ms>& starts,
                                             const Steps& published);
/// The mean of `steps` over the time; nullopt if a part of it has no value.
std::optional<double> MeanOver(const Steps& steps, Span span);

/// The start with the lowest emissions in [starts.begin, starts.end], in whole minutes from its
/// beginning. Only starts whose whole run has known values count.
std::optional<Alternative> LowestStart(const Rows& rows, Span starts, const Steps& published);
/// The lowest emissions with free pauses inside `window` (docs/METHOD.md, Savings). `start`: only
/// runs that begin then.
std::optional<Alternative> LowestWithPauses(const Rows& rows, Span window, const Steps& published,
                                            std::optional<Ms> start = {});

struct Cost {
  double amount = 0, priced_kwh = 0, unpriced_kwh = 0;
};
Cost CostOf(const Rows& rows, const std::vector<Span>& places, const Steps& prices);

}  // namespace ebb::audit
