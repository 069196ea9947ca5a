#include "core/jobs/script.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace ebb::core {
namespace {

using Words = std::span<const std::string>;

constexpr std::array<std::string_view, 10> kInterpreters{
    "python", "pypy", "bash", "sh", "dash", "zsh", "Rscript", "julia", "perl", "node"};
constexpr std::array<std::string_view, 15> kLaunchers{
    "torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "horovodrun", "srun",   "env",
    "nice",     "nohup",      "time",      "uv",     "poetry",  "conda",      "numactl"};
constexpr std::array<std::string_view, 3> kLauncherModules{"torch.distributed.", "accelerate.",
                                                           "deepspeed."};
constexpr std::array<std::string_view, 6> kScriptEndings{".py", ".sh", ".R", ".jl", ".pl", ".js"};

std::string FileName(std::string_view path) {
  return std::string(path.substr(path.find_last_of('/') + 1));
}

// True for an interpreter; "python3.11" counts as python.
bool IsInterpreter(std::string_view program) {
  const auto end = program.find_last_not_of("0123456789.");
  const std::string_view plain = program.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return std::find(kInterpreters.begin(), kInterpreters.end(), plain) != kInterpreters.end();
}

bool IsLauncher(std::string_view program) {
  return std::find(kLaunchers.begin(), kLaunchers.end(), program) != kLaunchers.end();
}

bool IsLauncherModule(std::string_view module) {
  return std::any_of(kLauncherModules.begin(), kLauncherModules.end(),
                     [&](std::string_view start) { return module.starts_with(start); });
}

bool LooksLikeScript(std::string_view word) {
  return std::any_of(kScriptEndings.begin(), kScriptEndings.end(),
                     [&](std::string_view ending) { return word.ends_with(ending); });
}

// Launchers have many flags, and we do not know which of them take a value. So this takes the first
// word that is a script by its ending, or that runs one.
std::optional<Script> Launched(Words arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string program = FileName(arguments[i]);
    if (IsInterpreter(program) || IsLauncher(program)) return ScriptOf(arguments.subspan(i));
    if (LooksLikeScript(arguments[i])) return Script{program, ""};
  }
  return std::nullopt;
}

std::optional<Script> Module(const std::string& module, Words arguments) {
  if (IsLauncherModule(module))
    if (auto launched = Launched(arguments)) return launched;
  return Script{module, ""};
}

std::optional<Script> Interpreted(const std::string& interpreter, Words arguments) {
  const bool is_python = interpreter.starts_with("py");
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_next = i + 1 < arguments.size();
    if (word == "-c" || word == "-e") return Script{interpreter, word};
    if (is_python && word == "-m" && has_next)
      return Module(arguments[i + 1], arguments.subspan(i + 2));
    if (is_python && (word == "-W" || word == "-X"))
      ++i;
    else if (!word.starts_with('-'))
      return Script{FileName(word), ""};
  }
  return std::nullopt;
}

}  // namespace

Script ScriptOf(Words command) {
  if (command.empty()) return {};
  const std::string program = FileName(command.front());
  std::optional<Script> script;
  if (IsInterpreter(program)) script = Interpreted(program, command.subspan(1));
  if (IsLauncher(program)) script = Launched(command.subspan(1));
  return script.value_or(Script{program, ""});
}

}  // namespace ebb::core
