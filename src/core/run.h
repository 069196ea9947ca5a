#pragma once
// A run as a value: what was asked for, what was decided, what was measured, what came of it. It is
// what a run directory stores (report/run/run_directory.h) and what summaries, comparisons and
// pages are made from. A run that was paused and resumed N times is one run with N + 1 attempts.

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/units.h"
#include "core/budget.h"
#include "core/decision.h"
#include "core/intensity.h"
#include "core/ledger.h"
#include "core/price_series.h"

namespace ebb::core {

/// In a run's directory: what its training program tells of its progress (docs/run-directory.md).
inline constexpr const char* kProgressFile = "progress.jsonl";

/// How grid time related to real time. Live: replayed == false and the two are the same.
struct GridClockSettings {
  bool replayed = false;
  Time begin{};             ///< grid time at which the run was submitted (replayed only)
  double speed = 1;         ///< grid seconds per wall second
  bool skip_waits = false;  ///< waits are jumped over on the grid clock
};

/// A wait that was jumped over instead of slept through.
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
  /// Of the kernel's present boot: the same in all containers of a machine. Empty: not known.
  std::string boot_id;
};

/// The emissions of making the hardware, of which a run bears its share of the lifetime. A fact of
/// the past: it decides nothing and is in no total.
struct Embodied {
  Emissions total;      ///< of making all of it
  Duration lifetime{};  ///< expected, in use
  double share = 1;     ///< of the hardware that was reserved for the run

  /// SCI (ISO/IEC 21031:2024): M = TE x TiR / EL x RR / ToR.
  Emissions Of(Duration reserved) const;
};

/// Where the run's electricity prices come from, and what they had to say about its start.
struct RunPrices {
  PriceIdentity identity;
  double weight = 0;                ///< of the price beside carbon, 0 to 1
  std::optional<double> threshold;  ///< per kWh
};

enum class MeterScope { kProcessTree, kMachine };

/// Where a run was, as its user says: labels, from which nothing is computed.
struct Location {
  std::string region;
  std::string cloud_provider, cloud_region;
};

/// What distinguishes one training run from another; the factors of a comparison. Absent for other
/// programs.
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
  std::string group;   ///< variants that differ only in their seed share it; defaults to the name
  std::vector<std::string> command;
  Time created_wall{};
  std::string policy;  ///< "now", "threshold", "window", "carbon-time", "dtpr"
  std::optional<Intensity> threshold;
  Time submitted{};              ///< grid time
  std::optional<Time> start_by;  ///< latest start, grid time; absent: the job had none
  Duration duration{};           ///< estimated running time, on the grid clock
  GridClockSettings clock;
  SignalIdentity signal;
  /// Of a merged run: in how many zones its members ran. No one signal accounts several, and what
  /// other starts would have emitted is not told.
  int zones = 1;
  /// A second signal, of the other kind: accounted beside the first, decides nothing.
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
  std::optional<RunPrices> prices;  ///< absent: no prices were given
};

enum class AttemptOutcome {
  kRunning,
  kDone,
  kPaused,
  kFailed,
  kKilled,
  kNotStarted,
  kStoppedByBudget,  ///< however it ended after it was asked to
};
std::string_view Name(AttemptOutcome outcome);
std::optional<AttemptOutcome> AttemptOutcomeFromName(std::string_view name);

/// One start of the program. An attempt whose end was never written (Ebb was killed) is kRunning
/// and ends at its last ledger row.
struct Attempt {
  int number = 1;
  Interval wall;
  Interval grid;
  AttemptOutcome outcome = AttemptOutcome::kRunning;
  int exit_code = 0;                   ///< 128 + n for a signal n
  double cpu_utilisation_percent = 0;  ///< of the whole machine, mean over the attempt
  double ram_used_gb = 0;              ///< resident size of the process tree, mean
  double gpu_utilisation_percent = 0;
};

struct Epoch {
  int number = 1;
  Interval wall;
  std::optional<double> train_loss, test_loss, test_accuracy_percent;
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
};

/// A version of the settled signal of a run. Providers revise what they have published, and the
/// last intervals of a run are published only after its end.
struct SignalVersion {
  Time asked_at{};        ///< wall time at which the source was asked for these values
  bool is_final = false;  ///< its provider is expected to revise it no more
  std::string file;       ///< inside the run directory: "signals/20261122T193000Z-1.csv"
  std::string sha256;     ///< of the file's text
  friend bool operator==(const SignalVersion&, const SignalVersion&) = default;
};

struct RunRecord {
  RunSpec spec;
  std::vector<GateDecision> decisions;
  std::vector<SkippedWait> skipped_waits;
  std::vector<Attempt> attempts;
  std::vector<LedgerRow> ledger;
  std::vector<Epoch> epochs;
  /// Settled values around the run, from submission to the latest possible end: the newest version.
  IntensitySeries signal;
  std::vector<SignalVersion> signal_versions;  ///< oldest first; none: from before they were kept
  PriceSeries prices;  ///< over the same time; empty: none were given, or none are known
  std::optional<TrainingOutcome> training;
  BudgetRecord budget;
  /// Of a run that could not wait: what was known at its end of the hours since it began, and
  /// expected of those after; absent: not kept, or nothing tells its hours apart.
  std::optional<SignalView> outlook;

  /// Grid time of the first attempt; nothing if it never started.
  std::optional<Time> started() const;
  /// Until when it could have started: its start_by, or without one when it did start.
  Time latest_start() const;
  /// Grid time waited between submission and the first start (or the last decision).
  Duration waited() const;
  /// Wall time in which any attempt ran, pauses excluded.
  Duration running_time() const;
  /// Of the attempts that ended after the last one began (ranks run side by side): the worst.
  AttemptOutcome outcome() const;
};

}  // namespace ebb::core
