#pragma once
// Sums up the energy, emissions and savings of many runs in a period of real time, by project,
// user, zone, site or run, for people who report them (docs/report-period.md).
//
// Conservation: energy is whole microjoules and grams are whole micrograms per run and day. So the
// rows of a report add up to its total exactly, however they are grouped, and adjacent periods that
// meet at midnight add up to the whole. A ledger row belongs to a day by time. Energy of one device
// that two runs measured counts once (core/run/ledger_union.h). Nothing here is scaled up: energy
// whose intensity is unknown has no grams, and the report states it.
//
// Pure; one thread for each account.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"
#include "core/run/run.h"
#include "core/run/uncertainty.h"
#include "core/signal/intensity.h"
#include "report/period/period_facts.h"
#include "report/text_table.h"

namespace ebb::report {

enum class PeriodBy { kProject, kUser, kZone, kSite, kRun };
std::string_view Name(PeriodBy by);
std::optional<PeriodBy> PeriodByFromName(std::string_view name);

/// A stated emission factor of bought electricity: of a contract (GHG Protocol Scope 2,
/// market-based method), or of the residual mix.
struct SupplyFactor {
  Intensity intensity;
  std::string zone;  ///< empty: every zone that has no factor of its own
};

/// A day of the local calendar, or the part of it that lies in the period.
struct PeriodDay {
  std::string date;  ///< "2026-10-01"
  Interval wall;
};

struct PeriodRequest {
  std::vector<PeriodDay> days;  ///< in order, without gaps; not empty
  PeriodBy by = PeriodBy::kProject;
  /// Boundary of the intensities for the location-based figure; unlike ones are never summed.
  core::Boundary boundary = core::Boundary::kUnknown;
  bool with_replayed = false;
  std::vector<SupplyFactor> supplier, residual_mix;
  /// Texts for people: the local begin and end, "2026-10-01 00:00", and the time zone of that
  /// clock.
  std::string from, to, time_zone;

  Interval period() const { return {days.front().wall.begin, days.back().wall.end}; }
  bool IsMarketBased() const { return !supplier.empty() || !residual_mix.empty(); }
};

/// The owner of a run. An empty text means unknown, and is a row of its own.
struct PeriodOwner {
  std::string run;     ///< "baseline-20261001T101500Z", "job 12"
  std::string source;  ///< the directory or the store
  std::string project, user, zone;
  std::string site{};  ///< machine, or site of a service
};

/// The saving of a job of several sites, as its service settled it on the values of each zone.
struct SettledSaving {
  Emissions emitted, at_submission;  ///< of the whole job
  double half_width_g = 0;           ///< half of the 95 % interval of the difference
};

struct PeriodRun {
  PeriodOwner owner;
  core::RunRecord run;    ///< accounted (core/run/accounting.h)
  Time at_submission{};   ///< grid time of its first row if it had started when it was submitted
  bool has_ended = true;  ///< only runs that have ended have a saving
  bool is_final = false;  ///< no revision of its intensities is expected
  /// Set for a job of several sites, on the part where it ran last; nothing: unknown, or one site.
  std::optional<SettledSaving> settled{};
  /// False for a part of a job that went on at another site: the part where it ran last counts as
  /// the run.
  bool counts = true;
};

/// A job of which the store keeps only sums.
struct PrunedJob {
  PeriodOwner owner;
  Time ended{};
  Energy energy, energy_without_intensity;
  Pue pue;
  std::optional<Emissions> emissions;
  std::optional<Emissions> at_submission;
  core::Work work;
};

/// Sums that add up exactly.
struct PeriodFigures {
  std::int64_t runs = 0;  ///< runs that used energy
  Energy energy;          ///< IT energy
  Energy facility_energy;
  Energy measured;                    ///< part of `energy` that a sensor read for a whole device
  std::array<Energy, 4> on_status{};  ///< parts of `energy` by core::SampleStatus
  Energy without_intensity;           ///< part of `energy` whose emissions are not known
  Energy of_pruned;                   ///< part of `energy` of which only sums are kept
  Duration unmetered{};               ///< running time without a reading
  Duration running{};                 ///< time in which attempts ran, without those of pruned jobs
  std::int64_t embodied_ug = 0;   ///< share of making the hardware, by running time; in no total
  Duration without_embodied{};    ///< part of `running` of runs that state no embodied emissions
  std::int64_t emissions_ug = 0;  ///< location-based
  std::int64_t market_ug = 0;    ///< market-based emissions; beside the others, never added to them
  Energy by_contract;            ///< part of `energy` at the factor of a contract
  Energy without_contract;       ///< part of `energy` without a stated factor
  Energy market_unknown;         ///< part of without_contract without a known intensity
  std::int64_t ended = 0;        ///< runs that ended in this period
  std::int64_t compared = 0;     ///< runs of `ended` with known intensities on both sides
  std::int64_t compared_ug = 0;  ///< emissions of the compared runs over their whole lives
  std::int64_t at_submission_ug = 0;  ///< emissions of the same runs if started at submission

  /// Emissions in micrograms; nothing if the intensity of all energy is unknown, which does not
  /// mean 0 g.
  std::optional<std::int64_t> known_emissions_ug() const {
    return Known(emissions_ug, without_intensity);
  }
  std::optional<std::int64_t> known_market_ug() const { return Known(market_ug, market_unknown); }
  /// Embodied emissions in micrograms; nothing if any run does not state those of its hardware.
  std::optional<std::int64_t> known_embodied_ug() const {
    const bool is_known = without_embodied == Duration{} && of_pruned == Energy{};
    return is_known && running > Duration{} ? std::optional(embodied_ug) : std::nullopt;
  }
  std::int64_t saved_ug() const { return at_submission_ug - compared_ug; }
  PeriodFigures& operator+=(const PeriodFigures& more);
  friend bool operator==(const PeriodFigures&, const PeriodFigures&) = default;

 private:
  std::optional<std::int64_t> Known(std::int64_t micrograms, Energy unknown) const {
    return energy > Energy{} && unknown == energy ? std::nullopt : std::optional(micrograms);
  }
};

struct PeriodRow {
  std::string name;  ///< empty if unknown
  PeriodFigures figures;
  /// Half widths of the 95 % intervals (docs/METHOD.md, Uncertainty). They do not add up.
  double energy_half_j = 0, emissions_half_g = 0, market_half_g = 0, saved_half_g = 0;
};

/// Runs and energy that no figure includes, for one reason.
struct LeftOut {
  std::int64_t runs = 0;
  Energy energy;
  LeftOut& operator+=(const LeftOut& more);
};

struct PeriodReport {
  PeriodRequest request;
  PeriodRow total;
  std::vector<PeriodRow> rows;  ///< most emissions first, unknown emissions last
  std::vector<std::pair<std::string, PeriodFigures>> days;  ///< by date; each day of the period
  /// Figures by month ("2026-10"), zone and project, for the comparison with cloud exports.
  std::map<std::tuple<std::string, std::string, std::string>, PeriodFigures> cells;
  LeftOut replayed;            ///< runs on a replayed grid clock
  LeftOut twice;               ///< energy that another run read as well; `runs` lost part of theirs
  LeftOut other_signal;        ///< counted without grams: intensity of another kind or boundary
  PeriodFacts facts;           ///< of all runs that used energy in the period
  std::int64_t not_final = 0;  ///< runs whose intensities may still be revised
  std::int64_t saved_without_interval = 0;  ///< pruned runs, whose savings widen no interval
  std::int64_t not_ended = 0;  ///< runs whose saving belongs to the period in which they end
};

class PeriodAccount {
 public:
  explicit PeriodAccount(PeriodRequest request);
  /// Adds runs. Runs that may have read one device at one time must be given in one call.
  void Add(const std::vector<PeriodRun>& runs);
  void Add(const PrunedJob& job);
  PeriodReport Report() const;

 private:
  struct Sums {
    PeriodFigures figures;
    core::UncertaintySum sure, market_sure;
    std::map<std::string, core::DifferenceSum> saved;  ///< by zone
    double settled_half_g = 0;                         ///< sum of the half widths of SettledSaving
  };
  using Counted = std::vector<std::vector<Interval>>;  ///< counted intervals by row

  Sums& GroupOf(const PeriodOwner& owner);
  void AddRun(const PeriodRun& run, const Counted& counted);
  /// The share of a run in one day, before its grams are rounded.
  struct RunDay {
    PeriodFigures figures;
    double facility_j = 0, grams = 0, market_g = 0;
    PeriodFigures Rounded() const;
  };

  void AddEnergy(const PeriodRun& run, const Counted& counted);
  void AddPart(const PeriodRun& run, const core::LedgerRow& part, RunDay& sum);
  void AddBought(const PeriodOwner& owner, core::LedgerRow part, core::MeterScope scope,
                 RunDay& sum);
  void AddSaving(const PeriodRun& run, const Counted& counted);
  void AddSettled(const PeriodRun& run, const Counted& counted, PeriodFigures& figures);
  void AddFigures(const PeriodOwner& owner, std::size_t day, const PeriodFigures& figures);
  void AddTime(const PeriodRun& run);
  void AddUnmetered(const PeriodRun& run);
  /// Calls `take` with each day of the period and the part of `time` in it.
  void ForDaysOf(Interval time, const std::function<void(std::size_t day, Duration)>& take);
  static PeriodRow RowOf(const std::string& name, const Sums& sums);

  PeriodReport report_;
  Sums total_;
  std::map<std::string, Sums> groups_;
};

/// The day that contains `time`.
std::optional<std::size_t> DayAt(const std::vector<PeriodDay>& days, Time time);

/// The grams of a whole number of micrograms.
constexpr double Grams(std::int64_t micrograms) { return static_cast<double>(micrograms) / 1e6; }

/// Tables and sentences, each line ending in a newline. Tables fit into `columns` as far as
/// possible.
std::string PeriodText(const PeriodReport& report, std::size_t columns = kAnyWidth);
/// One line for each row and one for the total; the first field says which.
std::string PeriodCsv(const PeriodReport& report);

}  // namespace ebb::report
