#include "app/options/run_flags.h"

#include "app/options/flag_values.h"
#include "app/options/read_option.h"

namespace ebb::app::run_flags {

Error BadValue(const char* flag, const std::string& text, const std::string& next) {
  return {ExitCode::kUsage, "--" + std::string(flag) + ": \"" + text + "\" is not accepted", "",
          next};
}

// Reads a number within limits.
Apply Number(const char* flag, double low, double high, void (*set)(RunOptions&, double)) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    const auto value = ParseNumber(text);
    if (!value || *value < low || *value > high)
      return Fail(BadValue(
          flag, text,
          "give a number from " + FormatSignificant(low, 3) + " to " + FormatSignificant(high, 3)));
    set(options, *value);
    return {};
  };
}

Apply DurationOf(const char* flag, void (*set)(RunOptions&, Duration)) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    EBB_ASSIGN_OR_RETURN(const Duration value,
                         ::ebb::app::DurationOf("--" + std::string(flag), text));
    set(options, value);
    return {};
  };
}

Apply Text(void (*set)(RunOptions&, const std::string&)) {
  return [=](const std::string& text, RunOptions& options) -> Status {
    set(options, text);
    return {};
  };
}

Apply Switch(void (*set)(RunOptions&)) {
  return [=](const std::string&, RunOptions& options) -> Status {
    set(options);
    return {};
  };
}

std::optional<std::string> If(bool condition, std::string text) {
  return condition ? std::optional(std::move(text)) : std::nullopt;
}

std::vector<Flag> FlagsOfTable() {
  std::vector<Flag> flags;
  for (const config::RunOption& option : config::RunOptionTable()) {
    const core::FlagName& flag = option.field.flag;
    if (flag.name.empty()) continue;
    flags.push_back({option.group, flag.name.c_str(),
                     flag.value_name.empty() ? nullptr : flag.value_name.c_str(),
                     option.field.Description(),
                     [&option](const std::string& text, RunOptions& options) {
                       return SetOption(option, text, options);
                     },
                     [&option](const RunOptions& options) { return StoredText(option, options); },
                     flag.also.empty() ? nullptr : flag.also.c_str()});
  }
  return flags;
}

}  // namespace ebb::app::run_flags
