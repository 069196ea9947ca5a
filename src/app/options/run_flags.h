#pragma once
// The rows of the table of run_options.h, and what they are built from: one file for each part of
// the table. Private to run_options.

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
  const char* value_name;  ///< nullptr: a switch
  std::string help;
  Apply apply;
  Show show;                       ///< nothing: leave the flag out
  const char* formerly = nullptr;  ///< its older name, which is read too
};

std::vector<Flag> GateFlags();
std::vector<Flag> SignalFlags();
std::vector<Flag> ProviderFlags();
std::vector<Flag> AnswerFlags();
std::vector<Flag> PriceFlags();
std::vector<Flag> ClockFlags();
std::vector<Flag> MeteringFlags();
std::vector<Flag> OtherSignalFlags();
std::vector<Flag> FootprintFlags();
std::vector<Flag> BudgetFlags();
std::vector<Flag> OutputFlags();

Error BadValue(const char* flag, const std::string& text, const std::string& next);
/// A number within limits.
Apply Number(const char* flag, double low, double high, void (*set)(RunOptions&, double));
Apply DurationOf(const char* flag, void (*set)(RunOptions&, Duration));
Apply Text(void (*set)(RunOptions&, const std::string&));
Apply Switch(void (*set)(RunOptions&));

/// A name out of a list that `from_name` knows.
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
