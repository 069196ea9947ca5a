#pragma once
// A source of one's own: a program that prints what it knows of a zone, as CSV or as JSON lines,
// and ends with 0. It is started without a shell, with EBB_ZONE and EBB_SINCE (from when on values
// are wanted) in its environment. Rows hold a time and either g/kWh or a fuel and megawatts, whose
// mean is then made of the factors in signals/generation/fuel.h (docs/signals.md, A program of your
// own).

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "signals/provider.h"

namespace ebb::signals {

/// Its words, which stand between blanks; nothing quotes them.
std::vector<std::string> WordsOfCommand(std::string_view command);

/// What it printed. `wanted` chooses the factors of fuels: of the life cycle where it says
/// nothing.
Result<Payload> ParseCommandRows(std::string_view output, core::Boundary wanted,
                                 const std::string& where);

struct CommandSourceOptions {
  std::vector<std::string> words;
  core::SignalIdentity identity;  ///< the source is filled in
};

/// Starts a program with these variables and returns what it printed (platform::OutputOf).
using RunProgramFunction = std::function<Result<std::string>(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment)>;

std::unique_ptr<Provider> MakeCommandSource(CommandSourceOptions options,
                                            RunProgramFunction run_program);
/// Of this machine, with limits on its time and on what it prints.
Result<std::string> RunSourceProgram(
    const std::vector<std::string>& words,
    const std::vector<std::pair<std::string, std::string>>& environment);

}  // namespace ebb::signals
