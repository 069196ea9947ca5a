// ebb: the command line. Parses, chooses a subcommand, prints its error and returns its exit code;
// what the subcommands do stands in one file each.
#include <CLI/CLI.hpp>
#include <cstdio>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/version.h"

namespace {

using ebb::ExitCode;

constexpr const char* kDescription =
    "Ebb runs machine-learning training when the electricity grid is clean, measures what it "
    "emitted, and "
    "proves the difference.";
constexpr const char* kFooter = R"(
Start here:
  ebb grid --zone DE                          when is power clean?
  ebb track -- python train.py                what does my training emit?
  ebb run --policy window -- python train.py  wait for clean power, then train
  ebb train configs/optimized.yaml            Ebb's own trainer
  ebb compare runs/*                          what made the difference?

Exit codes: 0 done, 2 usage, 3 configuration, 4 unavailable, 5 infeasible, 75 try later or paused,
70 a bug in Ebb; run, track, train and resume pass on the exit code of the program they run.)";

// Splits at the first "--": what follows belongs to the user's command and is never parsed by us.
std::vector<std::string> SplitCommand(int argc, char** argv, ebb::cli::CommandLine& line) {
  std::vector<std::string> ours;
  for (int i = 1; i < argc; ++i) {
    if (!line.has_command && std::string_view(argv[i]) == "--") {
      line.has_command = true;
      continue;
    }
    (line.has_command ? line.command : ours).emplace_back(argv[i]);
  }
  return ours;
}

// CLI11 names what it does not know; we add what was probably meant.
std::string Suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &app;
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) {
    names.push_back(sub->get_name());
    if (sub->parsed()) command = sub;
  }
  for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
  for (const std::string& argument : arguments) {
    const std::string word = argument.substr(0, argument.find('='));
    if (std::find(names.begin(), names.end(), word) != names.end()) continue;
    if (word.starts_with("--") || command == &app) {
      if (auto suggestion = ebb::SuggestionText(word, names); !suggestion.empty())
        return word + ": unknown" + suggestion;
    }
  }
  return "";
}

int UsageError(const CLI::App& app, const CLI::ParseError& error,
               const std::vector<std::string>& arguments) {
  std::string message = Suggestion(app, arguments);
  if (message.empty()) message = error.what();
  std::fprintf(stderr, "ebb: %s\nSee ebb --help, or --help after a command.\n", message.c_str());
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace

int main(int argc, char** argv) {
  ebb::cli::CommandLine line;
  std::vector<std::string> arguments = SplitCommand(argc, argv, line);
  CLI::App app(kDescription, "ebb");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("ebb ") + ebb::cli::kVersion);
  app.require_subcommand(0, 1);
  ebb::cli::AddGridCommand(app, line);
  ebb::cli::AddTrackCommand(app, line);
  ebb::cli::AddRunCommand(app, line);
  ebb::cli::AddTrainCommand(app, line);
  ebb::cli::AddResumeCommand(app, line);
  ebb::cli::AddSummaryCommand(app, line);
  ebb::cli::AddCompareCommand(app, line);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return UsageError(app, error, arguments);
  }
  if (!line.action) {
    std::fputs(app.help().c_str(), stdout);
    return static_cast<int>(ExitCode::kUsage);
  }
  const ebb::Result<int> result = line.action();
  if (result) return *result;
  std::fprintf(stderr, "ebb: %s\n", result.error().Message().c_str());
  return static_cast<int>(result.error().code);
}
