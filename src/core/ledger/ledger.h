#pragma once
// The energy ledger: append-only rows per run, attempt, device and interval. Everything that Ebb
// says about emissions is a sum over these rows; summaries, CSV files and reports are views of
// them.
//
// A row's interval lies within one intensity sample (see MakeRows), so its emissions are energy x
// PUE x intensity: the signal that decided is the signal that measures. A row whose intensity is
// unknown keeps its energy and has no emissions: unknown is never 0.
//
// File format: docs/ledger.md (one JSON object per line, written by report/run/ledger_file.h).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/signal/intensity.h"

namespace ebb::core {

enum class Component { kCpu, kGpu, kRam };
/// The origin of joules, best first.
enum class EnergySource {
  kCounter,        ///< difference of a hardware energy counter (RAPL, NVML total energy)
  kPowerIntegral,  ///< sampled power integrated over time
  kModel,          ///< computed from utilisation and data-sheet figures
};

std::string_view Name(Component component);
std::string_view Name(EnergySource source);
std::optional<Component> ComponentFromName(std::string_view name);
std::optional<EnergySource> EnergySourceFromName(std::string_view name);

/// A reading of a meter: the energy of one device over one interval, before any intensity is known.
struct EnergyReading {
  std::string device;  ///< "cpu:package-0", "gpu:GPU-1234...", "ram"
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kModel;
  Interval wall;  ///< real time
  Energy energy;
  /// True for a GPU whose reading was divided among the programs that hold parts of it.
  bool shared = false;
};

/// The value of a second signal for the same interval. The second signal is of another kind than
/// the one that decides.
struct OtherIntensity {
  std::optional<Intensity> intensity;  ///< absent: that signal had no value
  SampleStatus status = SampleStatus::kMeasured;
  SignalKind kind = SignalKind::kMarginal;
};

struct LedgerRow {
  int attempt =
      1;  ///< 1 for the first start; a resume after a pause is the next attempt of the same run
  std::string device;
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kModel;
  Interval wall;  ///< real time
  Interval grid;  ///< the same interval on the grid clock, which may be replayed
  Energy energy;
  Pue pue;
  std::optional<Intensity> intensity;  ///< absent: the signal had no value
  SampleStatus intensity_status = SampleStatus::kMeasured;
  SignalKind signal_kind = SignalKind::kAverage;
  std::optional<OtherIntensity> other;  ///< absent: the run has one signal only
  std::string intensity_source{};  ///< the link of a chain that knew the intensity; empty: there is
                                   ///< one source
  bool shared = false;             ///< EnergyReading::shared of the reading

  /// nullopt if the intensity is unknown.
  std::optional<Emissions> emissions() const;
};

/// Cuts a reading at the boundaries of intensity samples. The parts share the reading's energy in
/// proportion to their length, to the microjoule: their sum is the reading's energy exactly.
/// The reading's wall interval is mapped to its grid interval linearly. `other`: a second signal,
/// whose boundaries cut as well; nullptr for none.
std::vector<LedgerRow> MakeRows(const EnergyReading& reading, Interval grid, int attempt, Pue pue,
                                const IntensitySeries& signal,
                                const IntensitySeries* other = nullptr);

/// The same energy on the second signal: the intensity of each row is the second signal's, and
/// unknown if it had no value. Totals and uncertainty can thus be computed for either kind; a list
/// never has rows of both kinds. Empty if no row has a second intensity.
std::vector<LedgerRow> OnOtherSignal(const std::vector<LedgerRow>& rows);

/// The part of `energy` that falls into `part` of `whole`, by time. The parts of a partition add up
/// exactly.
Energy Share(Energy energy, Interval whole, Interval part);

/// Sums over rows, in the order given.
struct LedgerTotals {
  Energy energy;
  Energy energy_without_intensity;  ///< the part of `energy` with unknown intensity
  Emissions emissions;              ///< emissions of the part with known intensity
  Energy cpu, gpu, ram;
  Energy by_counter, by_power_integral, by_model;
  Energy on_measured, on_estimated, on_forecast, on_modelled;  ///< energy by status of its
                                                               ///< intensity

  /// Energy-weighted mean intensity of the part with known intensity.
  std::optional<Intensity> MeanIntensity() const;
  Energy facility_energy;  ///< energy x PUE, rounded per row
};
LedgerTotals Total(const std::vector<LedgerRow>& rows);

/// Totals of the energy within `wall`; rows that straddle its ends count by time share.
LedgerTotals TotalWithin(const std::vector<LedgerRow>& rows, Interval wall);

}  // namespace ebb::core
