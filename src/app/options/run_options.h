#pragma once
// The options of a run as flags: read, written back, checked together. The table of all options
// (config/options/run_option.h) describes each of them; cli/add_run_flags.h puts them on a command
// line.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/options/run_option.h"
#include "meter/meters.h"

namespace ebb::app {

using config::RunOptions;

/// Flag name without dashes -> text; switches have the text "true".
using FlagValues = std::map<std::string, std::string>;

using FlagGroup = config::OptionGroup;

/// A flag in the form of its help.
struct FlagHelp {
  std::string name;        ///< without dashes
  std::string value_name;  ///< empty for a switch
  std::string help;
  std::string formerly{};              ///< older name, which is also read; empty if there is none
  std::vector<std::string> choices{};  ///< empty: other values than words
};
/// The flags of a group, in the order of the help.
std::vector<FlagHelp> FlagsOf(FlagGroup group);

/// Applies the given flags over `options`; other options stay.
Status ApplyFlags(const FlagValues& values, RunOptions& options);

/// True if one of the flags chooses the source of intensity.
bool NamesSource(const FlagValues& given);

/// Applies one flag alone, without checks that involve several flags.
Status ApplyFlag(const std::string& name, const std::string& text, RunOptions& options);
/// Fails if the flag does not accept this value.
Status CheckFlag(const std::string& name, const std::string& text);

/// The flags that restore `options`, without the place of the run itself.
FlagValues ToFlags(const RunOptions& options);

/// Checks contradictions that no single flag shows, such as a policy that needs a forecast on a
/// source without one. Also reports what is modelled.
Status Validate(const RunOptions& options);
/// The same check for a queue, which does not use the policy of a single run's gate.
Status ValidateSignal(const RunOptions& options);

core::GridClockSettings ClockSettings(const config::GridClockConfig& clock, Time begin);
meter::MeterOptions MeterOptionsFor(const config::MeteringConfig& metering);

}  // namespace ebb::app
