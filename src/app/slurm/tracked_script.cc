#include "app/slurm/tracked_script.h"

#include <filesystem>

#include "base/text.h"
#include "slurm/jobs/srun_line.h"
#include "sweep/shell_quote.h"

namespace ebb::app {
namespace {

using sweep::ShellQuote;

bool IsComment(std::string_view line) { return Trim(line).empty() || line.starts_with('#'); }

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

bool HasWord(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos;
       at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !IsWordCharacter(line[at - 1]);
    if (begins && (end == line.size() || !IsWordCharacter(line[end]))) return true;
  }
  return false;
}

// The interpreter and its argument, as the kernel splits the first line.
Result<std::string> InterpreterOf(const TrackedScript& script) {
  const std::string_view line = std::string_view(script.text).substr(0, script.text.find('\n'));
  const std::string_view command = line.starts_with("#!") ? Trim(line.substr(2)) : "";
  if (command.empty())
    return Fail({ExitCode::kUsage, script.name + ": its first line names no interpreter", "",
                 "begin it with a line like #!/bin/bash"});
  const std::size_t blank = command.find_first_of(" \t");
  std::string text = ShellQuote(command.substr(0, blank));
  if (blank != std::string_view::npos) text += ' ' + ShellQuote(Trim(command.substr(blank)));
  return text;
}

// The lines that sbatch reads options from: all comments before the first command.
std::string OptionLines(std::string_view text) {
  std::string lines;
  for (const std::string_view line : Split(text, '\n')) {
    if (!IsComment(line)) break;
    if (line.starts_with("#SBATCH")) lines += std::string(line) + '\n';
  }
  return lines;
}

// A here document that the shell reads exactly as `text`.
std::string HereDocument(const std::string& file, std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  std::string end = "EBB_END";
  for (int i = 1; ('\n' + text).find('\n' + end + '\n') != std::string::npos; ++i)
    end = "EBB_END_" + std::to_string(i);
  return "cat >" + file + " <<'" + end + "' || exit\n" + text + end + '\n';
}

std::string RunOf(const TrackedScript& script, const std::string& subcommand) {
  std::string text = ShellQuote(script.program) + ' ' + subcommand + " --directory \"$folder\"";
  for (const std::string& option : script.options) text += ' ' + ShellQuote(option);
  return text + " --";
}

// A program called srun that comes first in PATH, and gives the real one what it needs.
std::string SrunShim(const TrackedScript& script) {
  return "#!/bin/sh\nfolder=${0%/bin/srun}\nPATH=$EBB_PATH\nexport PATH\nexec " +
         RunOf(script, "slurm srun") + " \"$@\"\n";
}

}  // namespace

bool CallsSrun(const std::string& script) {
  for (const std::string_view line : Split(script, '\n')) {
    const std::string_view text = Trim(line);
    if (!text.starts_with('#') && HasWord(text, "srun")) return true;
  }
  return false;
}

Result<std::string> MakeTrackedScript(const TrackedScript& script) {
  EBB_ASSIGN_OR_RETURN(const std::string interpreter, InterpreterOf(script));
  std::string text = "#!/bin/sh\n" + OptionLines(script.text) +
                     "# Written by ebb slurm submit --track: runs the script below and measures "
                     "it.\n"
                     "folder=${SLURM_SUBMIT_DIR:-.}/.ebb/slurm-$SLURM_JOB_ID\n"
                     "mkdir -p \"$folder\" || exit\n" +
                     HereDocument("\"$folder/script\"", script.text);
  if (!CallsSrun(script.text))
    return text + "exec " + RunOf(script, "slurm run") + ' ' + interpreter +
           " \"$folder/script\" \"$@\"\n";
  // The signal that asks for a pause is for the tasks.
  return text + "mkdir -p \"$folder/bin\" || exit\n" +
         HereDocument("\"$folder/bin/srun\"", SrunShim(script)) +
         "chmod +x \"$folder/bin/srun\"\n"
         "EBB_PATH=$PATH PATH=$folder/bin:$PATH\n"
         "export EBB_PATH PATH\n"
         "trap '' USR1\n"
         "exec " +
         interpreter + " \"$folder/script\" \"$@\"\n";
}

std::vector<std::string> TrackedSrun(std::vector<std::string> words, const std::string& program,
                                     const std::vector<std::string>& options) {
  const auto at = slurm::ProgramInSrun(words);
  if (!at) return words;
  if (std::filesystem::path(words[*at]).filename() == std::filesystem::path(program).filename())
    return words;
  std::vector<std::string> ours{program, "slurm", "run"};
  ours.insert(ours.end(), options.begin(), options.end());
  ours.emplace_back("--");
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(*at), ours.begin(), ours.end());
  return words;
}

}  // namespace ebb::app
