#pragma once
// The help texts as manual pages (man(7) macros) and as completion scripts of three shells: one
// source for all of them. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/parser.h"

namespace ebb::cli {

/// ebb(1): the program and a line for each command.
std::string ManualPage(const Parser::Text& program, const std::vector<CommandText>& commands);
/// The page's name: "ebb-submit", "ebb-slurm-submit".
std::string PageName(const Parser::Text& program, const CommandText& command);
/// The page of a command.
std::string ManualPage(const Parser::Text& program, const CommandText& command);

/// Lists of words that completion scripts ask the program for: `ebb complete LIST`.
inline constexpr std::string_view kJobWords = "jobs", kZoneWords = "zones",
                                  kSignalWords = "signals", kPolicyWords = "policies",
                                  kGatePolicyWords = "gate-policies";

enum class Shell { kBash, kZsh, kFish };
std::optional<Shell> ShellFromName(std::string_view name);
std::string CompletionScript(Shell shell, const std::string& program,
                             const std::vector<CommandText>& commands);

}  // namespace ebb::cli
