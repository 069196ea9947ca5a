#include "sweep/shell_quote.h"

namespace ebb::sweep {
namespace {

// Characters that no shell interprets in any position. '=' is not among them (at the start of a
// command it makes an assignment), nor is '~'.
constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:,+@%-";

}  // namespace

std::string ShellQuote(std::string_view word) {
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string ShellCommand(std::span<const std::string> words) {
  std::string command;
  for (const std::string& word : words) command += (command.empty() ? "" : " ") + ShellQuote(word);
  return command;
}

}  // namespace ebb::sweep
