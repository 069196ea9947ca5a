#pragma once
// The options that gate, measure and place a run, as flags: one table says each flag's name, help,
// effect and how it is written back. The same table reads the command line, overrides a
// configuration file, restores a paused run and checks what libebb is given, so that they cannot
// drift apart. cli/add_run_flags.h puts them on a command line.

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/train_config.h"
#include "core/run.h"
#include "core/tracking.h"
#include "meter/meters.h"
#include "report/run/emissions_file.h"

namespace ebb::app {

struct RunOptions {
  config::SchedulerConfig scheduler;
  config::MeteringConfig metering;
  std::string name;   ///< empty: from the command or configuration
  std::string group;  ///< empty: the name
  std::string output_dir = "runs";
  std::string run_dir;         ///< empty: output_dir/run_id
  std::string emissions_file;  ///< shared emissions.csv; empty: none beside the run directory's
  report::CsvWrite csv_write = report::CsvWrite::kAppend;
  std::string prometheus_file;  ///< text exposition, rewritten while the run lasts
  std::string prometheus_url;   ///< Pushgateway
  core::Tracking tracking;
  core::Location location;
  bool json = false;
  bool quiet = false;
};

/// Flag name without dashes -> text; switches have the text "true".
using FlagValues = std::map<std::string, std::string>;

enum class FlagGroup {
  kGate,
  kSignal,
  kPrice,
  kClock,
  kMetering,
  kOtherSignal,
  kBudget,
  kOutput,
  kTrackers
};

/// A flag as its help shows it.
struct FlagHelp {
  std::string name;        ///< without dashes
  std::string value_name;  ///< empty: a switch
  std::string help;
  std::string formerly{};  ///< its older name, which is read too; empty: none
};
/// Of one group, in the order of the help.
std::vector<FlagHelp> FlagsOf(FlagGroup group);

/// Applies given flags over `options`: what a flag does not mention stays.
Status ApplyFlags(const FlagValues& values, RunOptions& options);

/// One flag alone, without what flags mean together.
Status ApplyFlag(const std::string& name, const std::string& text, RunOptions& options);
/// Whether it takes this value.
Status CheckFlag(const std::string& name, const std::string& text);

/// The flags that restore `options` (where the run itself is kept, left out).
FlagValues ToFlags(const RunOptions& options);

/// Contradictions between options that no single flag shows: threshold policy on a source without
/// forecast and the like. Also says what is modelled.
Status Validate(const RunOptions& options);
/// The same for a queue, whose policy is not one of a single run's gate.
Status ValidateSignal(const RunOptions& options);

core::GridClockSettings ClockSettings(const config::GridClockConfig& clock, Time begin);
meter::MeterOptions MeterOptionsFor(const config::MeteringConfig& metering);

}  // namespace ebb::app
