#pragma once
// The rows of the table of run_options.h and their building blocks; each part of the table has its
// own file. Private to run_options.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options/run_options.h"
#include "base/text.h"

namespace ebb::app::run_flags {

using Apply = std::function<Status(const std::string&, RunOptions&)>;
using Show = std::function<std::optional<std::string>(const RunOptions&)>;

struct Flag {
  FlagGroup group;
  const char* name;
  const char* value_name;  ///< nullptr for a switch
  std::string help;
  Apply apply;
  Show show;                       ///< empty if the flag is not written back
  const char* formerly = nullptr;  ///< older name, which is also read
};

/// The flags of the table of run_option.h.
std::vector<Flag> FlagsOfTable();
std::vector<Flag> MeteringFlags();
std::vector<Flag> PowerFlags();
std::vector<Flag> OtherSignalFlags();
std::vector<Flag> FootprintFlags();
std::vector<Flag> BudgetFlags();
std::vector<Flag> OutputFlags();

Error BadValue(const char* flag, const std::string& text, const std::string& next);
/// Reads a number within limits.
Apply Number(const char* flag, double low, double high, void (*set)(RunOptions&, double));
Apply DurationOf(const char* flag, void (*set)(RunOptions&, Duration));
Apply Text(void (*set)(RunOptions&, const std::string&));
Apply Switch(void (*set)(RunOptions&));

/// Reads one of the names that `from_name` knows.
template <typename FromName, typename Set>
Apply Choice(const char* flag, const std::vector<std::string>& names, FromName from_name, Set set) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    const auto value = from_name(text);
    if (!value)
      return Fail(
          BadValue(flag, text, "choose one of " + Join(names, ", ") + SuggestionText(text, names)));
    set(options, *value);
    return {};
  };
}

std::optional<std::string> If(bool condition, std::string text);

}  // namespace ebb::app::run_flags
