#pragma once
// Every option of a run, described once: its type, range, default and meaning, its names in the
// places in which it may stand, and the member that it sets. The flags of `ebb run`, `track`,
// `train` and others (app/options/run_options.h), the settings of a user
// (app/options/user_settings.h), the sections of a configuration (run_option_keys.h), the settings
// of CodeCarbon (app/options/codecarbon_flags.h), stored runs, completion and docs/run-options.md
// follow this table. Each group has its own file. What a job has, too, is described in
// core/options/shared_fields.h. Pure but for options that name a file.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/member_access.h"
#include "config/options/run_options.h"
#include "core/options/definition.h"
#include "core/options/job_options.h"

namespace ebb::config {

/// Sections of a configuration that have keys of runs.
inline constexpr const char* kSchedulerSection = "scheduler";
inline constexpr const char* kMeteringSection = "metering";

/// The flags under one heading of --help.
enum class OptionGroup {
  kGate,
  kSignal,
  kPrice,
  kClock,
  kMetering,
  kPower,
  kOtherSignal,
  kBudget,
  kOutput,
  kTrackers
};

/// Access to the member that an option sets. A kMoment is a Duration from now.
using OptionMember = MemberAccess<RunOptions>;

/// When the directory of a run stores an option.
enum class Stored { kUnlessDefault, kAlways, kNever };

/// The key of an option in a user's settings.
struct SettingName {
  std::string key{};       ///< "metering.pue"; empty: it cannot be set there
  std::string variable{};  ///< environment variable that takes precedence; empty: none
  bool is_path = false;    ///< "~/" and paths relative to the settings file are allowed
};

/// The key of CodeCarbon whose value has the same meaning.
struct CodeCarbonName {
  std::string key{};   ///< empty: none
  std::string unit{};  ///< what is put behind CodeCarbon's value: "s"
};

/// The way in which a flag reports an Error of `set`.
enum class FlagError {
  kNotAccepted,  ///< --flag: "text" is not accepted; the Error says what is
  kNamed,        ///< --flag: and the Error
  kUnchanged     ///< the Error, which names a file
};

/// The sources of intensity that use a key of a configuration; the others refuse it.
struct SignalUse {
  std::optional<signals::SignalSource> source{};
  bool live = false;  ///< every live source uses it, too

  bool everywhere() const { return !source && !live; }
};

struct RunOption {
  OptionGroup group = OptionGroup::kOutput;
  core::Field field{};  ///< its key is that of a configuration
  OptionMember member{};
  std::string section{};  ///< section of a configuration that has the key; empty: none has it
  SettingName setting{};
  CodeCarbonName codecarbon{};
  /// The default for people, if the meaning says it already or --help does not show it.
  std::string otherwise{};
  std::string accepts{};  ///< what a flag's Error asks for in place of the field's range
  std::vector<std::string> flag_words{};  ///< words that a flag and a setting take beside; they set
                                          ///< nothing, and ApplyFlags gives them their meaning
  FlagError flag_error = FlagError::kNotAccepted;
  bool is_time = false;  ///< a text that is a time like 2023-05-01T13:45Z
  /// Turns a short name of a choice into the choice. Empty: there are no short names.
  std::function<std::string(std::string_view)> full_name{};
  std::optional<signals::SignalSource> selects{};  ///< source that the flag chooses
  SignalUse used_by{};
  Stored stored = Stored::kUnlessDefault;

  /// The default for people: "1h"; empty if there is none to tell.
  const std::string& DefaultText() const {
    return field.default_text.empty() ? otherwise : field.default_text;
  }
};

/// All options, group by group, in the order in which --help shows flags and they are applied.
std::span<const RunOption> RunOptionTable();
/// The option with this flag (present name, without dashes); nullptr if there is none.
const RunOption* RunOptionOfFlag(std::string_view flag);
/// The option with this key in a section of a configuration, which must exist.
const RunOption& RunOptionOfKey(std::string_view section, std::string_view key);

/// The value as a directory of a run stores it; nullopt if it is not stored.
std::optional<std::string> StoredText(const RunOption& option, const RunOptions& options);

}  // namespace ebb::config
