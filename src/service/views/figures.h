#pragma once
// Figures of one job, on their way from the accounts to the views.

#include <optional>
#include <string>

#include "base/time.h"
#include "base/units.h"
#include "core/ledger/work.h"
#include "core/run/uncertainty.h"
#include "store/accounts/ledger_sums.h"

namespace ebb::service {

/// A job that starts within this time of its submission started at once: Ebb itself takes that
/// long.
inline constexpr Duration kStartedAtOnce{std::chrono::seconds{2}};

/// Energy and emissions of a job so far. Rows that are not durable yet are included.
struct JobFigures : store::LedgerSums {
  core::Work work;                ///< as the program reported it
  std::optional<double> share{};  ///< part of the training that is done, by the same reports

  void SetSums(const store::LedgerSums& sums) { store::LedgerSums::operator=(sums); }
};

/// The use of all jobs since the last local midnight (service/accounting/day_use.h).
struct DayFigures {
  Interval day{};  ///< on the grid clock
  Energy energy;
  /// Where the intensity is known; nothing: energy was used, and it is known nowhere.
  std::optional<Emissions> emissions = Emissions{};
};

/// A job that has ended, at other places and times (service/accounting/place_and_time.h): the same
/// energy in one piece, each zone on its own newest values, with the moves to other sites counted.
struct PlaceAndTime {
  Emissions home_at_once;    ///< at home, from its submission on: Settlement::at_submission
  Emissions place_at_once;   ///< from its submission on at the best site, home included
  std::string site_at_once;  ///< that site
  std::optional<Emissions> home_best;  ///< at home at the best start; nothing: not known yet
  std::optional<Time> home_start;      ///< that start
  /// The best of all these, of all sites and starts, and of the job as it ran; nothing: not known
  /// yet.
  std::optional<Emissions> best;
  std::string best_site;           ///< its site; empty: as it ran, at several sites
  std::optional<Time> best_start;  ///< its start, before the move to the site
  bool best_is_as_it_ran = false;
  /// The emissions of the moves that the job made: counted, not measured, and not in its ledger.
  /// Nothing: some intensity is unknown.
  std::optional<Emissions> moves;
  friend bool operator==(const PlaceAndTime&, const PlaceAndTime&) = default;
};

/// A job that has ended, revalued on the newest values of its signal
/// (service/accounting/settlement.h).
struct Settlement {
  std::optional<Emissions> emitted;        ///< nothing: some of the intensity is unknown
  std::optional<Emissions> at_submission;  ///< of the same energy, likewise
  std::optional<double> half_width_g;      ///< half of the 95 % interval of the difference
  /// The uncertainty of the energy, and of the emissions where they are known.
  core::Uncertainty uncertainty;
  bool is_published = false;  ///< the provider has published all hours of the job
  std::optional<PlaceAndTime> place_and_time{};  ///< nothing: the service has one site, or unknown
};

/// A job that has ended, had it been first come, first served (service/accounting/first_come.h).
struct FirstComeFigures {
  std::optional<Time> start;
  std::optional<Emissions> emissions;  ///< nothing: not known, or not known yet
  std::optional<double> half_width_g;  ///< half of the 95 % interval of the saving
  friend bool operator==(const FirstComeFigures&, const FirstComeFigures&) = default;
};

}  // namespace ebb::service
