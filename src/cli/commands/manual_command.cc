// ebb completion and ebb manual: the scripts and pages made from the help texts.

#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "cli/command_line.h"
#include "cli/manual_page.h"
#include "platform/file.h"

namespace ebb::cli {
namespace {

constexpr const char* kCompletionExamples = R"(
Examples:
  source <(ebb completion bash)                                    in this shell
  ebb completion bash > ~/.local/share/bash-completion/completions/ebb
  ebb completion zsh > "${fpath[1]}/_ebb"
  ebb completion fish > ~/.config/fish/completions/ebb.fish)";

constexpr const char* kManualExamples = R"(
Examples:
  ebb manual submit | man -l -
  ebb manual --output-dir ~/.local/share/man/man1      ebb.1 and a page for each command)";

struct ManualRequest {
  std::vector<std::string> command;  // "submit", or "slurm" and "submit"
  std::string output_directory;
};

Result<int> WritePages(const Parser& parser, const std::filesystem::path& directory) {
  const std::vector<CommandText> commands = parser.Describe();
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
  const std::string program = parser.text().program;
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory / (program + ".1"),
                                                    ManualPage(parser.text(), commands)));
  for (const CommandText& command : commands)
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(
        directory / (PageName(parser.text(), command) + ".1"), ManualPage(parser.text(), command)));
  return 0;
}

Result<int> PrintManual(const Parser& parser, const ManualRequest& request) {
  if (!request.output_directory.empty()) return WritePages(parser, request.output_directory);
  const std::vector<CommandText> commands = parser.Describe();
  std::string page = ManualPage(parser.text(), commands);
  if (const std::string name = Join(request.command, " "); !name.empty()) {
    std::vector<std::string> names;
    page.clear();
    for (const CommandText& command : commands) {
      names.push_back(command.name);
      if (command.name == name) page = ManualPage(parser.text(), command);
    }
    if (page.empty())
      return Fail({ExitCode::kUsage,
                   "there is no command \"" + name + "\"" + SuggestionText(name, names), "", ""});
  }
  std::fputs(page.c_str(), stdout);
  return 0;
}

Result<int> PrintCompletion(const Parser& parser, const std::string& name) {
  const auto shell = ShellFromName(name);
  if (!shell)
    return Fail({ExitCode::kUsage, "there is no completion for \"" + name + "\"", "",
                 "choose one of bash, zsh, fish"});
  std::fputs(CompletionScript(*shell, parser.text().program, parser.Describe()).c_str(), stdout);
  return 0;
}

}  // namespace

void AddManualCommands(Parser& parser) {
  Command& completion =
      parser.Add("completion", "print a script for shell completion", kCompletionExamples);
  auto shell = std::make_shared<std::string>();
  completion.Positional("SHELL", "bash, zsh or fish", shell.get());
  completion.Action([&parser, shell] { return PrintCompletion(parser, *shell); });

  Command& manual = parser.Add("manual", "the help texts as manual pages", kManualExamples);
  auto request = std::make_shared<ManualRequest>();
  manual.OptionalPositionals("COMMAND", "the command (default: ebb itself)", &request->command);
  manual.Flag({"output-dir", "DIR", "write the pages of all commands there"},
              [request](const std::string& text) { request->output_directory = text; });
  manual.Action([&parser, request] { return PrintManual(parser, *request); });
}

}  // namespace ebb::cli
