#pragma once
// A user's own source: a program that prints its values for a zone, as CSV or as JSON lines, and
// ends with 0. It is started without a shell, with EBB_ZONE and EBB_SINCE (the time from which
// values are wanted) in its environment. Rows hold a time and either g/kWh or a fuel and megawatts,
// whose mean is then made of the factors in signals/generation/fuel.h (docs/signals.md, A program
// of your own).

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "signals/provider.h"

namespace ebb::signals {

/// The words of a command, separated by blanks; there are no quotes.
std::vector<std::string> WordsOfCommand(std::string_view command);

/// Reads the program's output. `wanted` chooses the factors of fuels: life cycle if it is unknown.
Result<Payload> ParseCommandRows(std::string_view output, core::Boundary wanted,
                                 const std::string& where);

struct CommandSourceOptions {
  std::vector<std::string> words;
  core::SignalIdentity identity;  ///< `source` is filled in by the provider
};

/// Starts a program with these variables and returns its output (platform::OutputOf).
using RunProgramFunction = std::function<Result<std::string>(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment)>;

std::unique_ptr<Provider> MakeCommandSource(CommandSourceOptions options,
                                            RunProgramFunction run_program);
/// Starts a program on this machine, with limits on its time and on its output.
Result<std::string> RunSourceProgram(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace ebb::signals
