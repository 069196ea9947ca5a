#pragma once
// What all subcommands share: the words after `--`, the chosen action, and how errors reach the
// user. One file per subcommand registers itself with a function Add...Command.

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace CLI {
class App;
}

namespace ebb::cli {

struct CommandLine {
  std::vector<std::string> program;  ///< this program's argv[0]
  std::vector<std::string> command;  ///< what stood after `--`
  bool has_command = false;          ///< there was a `--`
  std::function<Result<int>()>
      action;  ///< set by the subcommand that was given; returns the exit code
};

void AddCompareCommand(CLI::App& app, CommandLine& line);
void AddGridCommand(CLI::App& app, CommandLine& line);
void AddResumeCommand(CLI::App& app, CommandLine& line);
void AddRunCommand(CLI::App& app, CommandLine& line);
void AddSummaryCommand(CLI::App& app, CommandLine& line);
void AddTrackCommand(CLI::App& app, CommandLine& line);
void AddTrainCommand(CLI::App& app, CommandLine& line);

}  // namespace ebb::cli
