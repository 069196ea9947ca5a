#pragma once
// A run as a value: what was asked for, decided and measured, and the outcome. A run directory
// stores it (report/run/run_directory.h), and summaries, comparisons and pages are made from it. A
// run that was paused and resumed N times is one run with N + 1 attempts.

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/devices/power_choice.h"
#include "core/jobs/decision.h"
#include "core/ledger/budget.h"
#include "core/ledger/ledger.h"
#include "core/ledger/work.h"
#include "core/signal/intensity.h"
#include "core/signal/price_series.h"

namespace ebb::core {

/// The file in a run's directory in which its training program reports its progress
/// (docs/run-directory.md).
inline constexpr const char* kProgressFile = "progress.jsonl";

/// The relation of grid time to real time. Live: replayed == false and the two are the same.
struct GridClockSettings {
  bool replayed = false;
  Time begin{};             ///< grid time at which the run was submitted (replayed only)
  double speed = 1;         ///< grid seconds per wall second
  bool skip_waits = false;  ///< the grid clock jumps over waits
};

/// A wait that the grid clock jumped over.
struct SkippedWait {
  Interval grid;
};

struct Machine {
  std::string host;
  std::string operating_system;  ///< "Linux-6.1.0-x86_64"
  std::string cpu_model;
  int cpu_count = 0;        ///< logical processors
  double ram_total_gb = 0;  ///< GiB, as CodeCarbon counts
  std::vector<std::string> gpu_models;
  /// Identity of the kernel's present boot: the same in all containers of a machine. Empty:
  /// unknown.
  std::string boot_id;
};

/// The emissions of making the hardware. A run bears a share of them by its share of the lifetime.
/// They are a fact of the past: they do not affect decisions and are in no total.
struct Embodied {
  Emissions total;      ///< emissions of making all of the hardware
  Duration lifetime{};  ///< expected lifetime in use
  double share = 1;     ///< share of the hardware that was reserved for the run

  /// SCI (ISO/IEC 21031:2024): M = TE x TiR / EL x RR / ToR.
  Emissions Of(Duration reserved) const;
};

/// The source of the run's electricity prices, and the prices' part in its start.
struct RunPrices {
  PriceIdentity identity;
  double weight = 0;                ///< weight of the price beside carbon, 0 to 1
  std::optional<double> threshold;  ///< price threshold per kWh
};

enum class MeterScope { kProcessTree, kMachine };

/// The place of a run as its user names it: labels, from which nothing is computed.
struct Location {
  std::string region;
  std::string cloud_provider, cloud_region;
};

/// The settings that distinguish one training run from another: the factors of a comparison. Absent
/// for other programs.
struct TrainingSettings {
  std::string model;
  std::string dataset;
  int batch_size = 0;
  int accumulation_steps = 1;
  int epochs = 0;
  double learning_rate = 0;
  std::string precision = "fp32";
  std::int64_t seed = 0;
  std::string model_path;
};

struct RunSpec {
  std::string run_id;  ///< unique; names the run directory
  std::string name;    ///< the user's name: "baseline"
  std::string group;   ///< group of variants that differ only in their seed; defaults to the name
  std::vector<std::string> command;
  Time created_wall{};
  std::string policy;  ///< "now", "threshold", "window", "carbon-time", "dtpr"
  std::optional<Intensity> threshold;
  Time submitted{};              ///< grid time
  std::optional<Time> start_by;  ///< latest start, grid time; absent: the job had none
  Duration duration{};           ///< estimated running time, on the grid clock
  GridClockSettings clock;
  SignalIdentity signal;
  /// Number of zones in which the members of a merged run ran. No single signal accounts for
  /// several zones, so reports do not say what other starts would have emitted.
  int zones = 1;
  /// A second signal of the other kind: accounted beside the first, without any part in decisions.
  std::optional<SignalIdentity> other_signal;
  Pue pue;
  std::optional<double> wue_l_per_kwh;  ///< litres of water per kWh of IT energy (ISO/IEC 30134-9)
  std::optional<Embodied> embodied;
  MeterScope scope = MeterScope::kProcessTree;
  Duration sample_interval{1000};
  std::vector<std::string>
      meters;  ///< one line per meter: "cpu: model, TDP 8 W (4 W per thread; ...)"
  Machine machine;
  Location location;
  std::optional<TrainingSettings> training;
  std::optional<RunPrices> prices;  ///< absent: the run had no prices
};

enum class AttemptOutcome {
  kRunning,
  kDone,
  kPaused,
  kFailed,
  kKilled,
  kNotStarted,
  kStoppedByBudget,  ///< the attempt was asked to end because of the budget, however it then ended
};
std::string_view Name(AttemptOutcome outcome);
std::optional<AttemptOutcome> AttemptOutcomeFromName(std::string_view name);

/// One start of the program. An attempt whose end was never written (because Ebb was killed) is
/// kRunning and ends at its last ledger row.
struct Attempt {
  int number = 1;
  Interval wall;
  Interval grid;
  AttemptOutcome outcome = AttemptOutcome::kRunning;
  int exit_code = 0;                   ///< 128 + n for a signal n
  double cpu_utilisation_percent = 0;  ///< mean utilisation of the whole machine over the attempt
  double ram_used_gb = 0;              ///< mean resident size of the process tree
  double gpu_utilisation_percent = 0;
  int devices = 0;  ///< how many an elastic job had; 0: unknown, or the run is not elastic
};

struct Epoch {
  int number = 1;
  Interval wall;
  std::optional<double> train_loss, test_loss, test_accuracy_percent;
};

/// A change of the parts that ranks have in an update (core/devices/rank_shares.h).
struct RankShareChange {
  std::int64_t step = 0;              ///< updates that were done when it began
  std::vector<std::int64_t> samples;  ///< of an update, by rank
};

struct TrainingOutcome {
  double final_loss = 0;
  double test_loss = 0;
  double test_accuracy_percent = 0;
  double peak_tensor_bytes = 0;
  double average_epoch_seconds = 0;
  double samples_per_second = 0;
  std::string device;
  std::string parameters_sha256;
  std::vector<RankShareChange> rank_shares{};  ///< in order; empty: the parts stayed
};

/// A version of the settled signal of a run. Providers revise published values, and they publish
/// the last intervals of a run only after its end.
struct SignalVersion {
  Time asked_at{};        ///< wall time at which the source was asked for these values
  bool is_final = false;  ///< the provider is not expected to revise the values any more
  std::string file;       ///< inside the run directory: "signals/20261122T193000Z-1.csv"
  std::string sha256;     ///< digest of the file's text
  friend bool operator==(const SignalVersion&, const SignalVersion&) = default;
};

struct RunRecord {
  RunSpec spec;
  std::vector<GateDecision> decisions;
  std::vector<SkippedWait> skipped_waits;
  std::vector<Attempt> attempts;
  std::vector<LedgerRow> ledger;
  std::vector<Epoch> epochs;
  Work work;  ///< done in this run, as its program reported
  /// Settled values around the run, from submission to the latest possible end: the newest version.
  IntensitySeries signal;
  std::vector<SignalVersion> signal_versions;  ///< oldest first; empty: the run is from before Ebb
                                               ///< kept versions
  PriceSeries prices;  ///< prices over the same time; empty: none were given, or none are known
  std::optional<TrainingOutcome> training;
  BudgetRecord budget;
  std::vector<PowerChoice> power_choices;  ///< power limits that were found, by attempt
  /// For a run that could not wait: the known values, at its end, of the hours since it began, and
  /// the forecast of later hours. Absent: not kept, or the signal does not tell hours apart.
  std::optional<SignalView> outlook;

  /// Grid time of the first attempt; nullopt if the run never started.
  std::optional<Time> started() const;
  /// The latest time at which the run could have started: its start_by, or without one its actual
  /// start.
  Time latest_start() const;
  /// Grid time waited between submission and the first start (or the last decision).
  Duration waited() const;
  /// Wall time in which any attempt ran, without pauses.
  Duration running_time() const;
  /// The worst outcome among the attempts that ended after the last one began (ranks run side by
  /// side).
  AttemptOutcome outcome() const;
};

}  // namespace ebb::core
