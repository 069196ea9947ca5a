#include "slurm/jobs/srun_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "slurm/jobs/sbatch_line.h"

namespace ebb::slurm {
namespace {

// Options that never take the next word: they have no value, or an optional one after "=". The long
// ones are those that sbatch does not have.
constexpr std::string_view kSwitchLetters = "EHIKOQXZhklsuv";
constexpr std::array<std::string_view, 16> kSwitches{
    "bcast",     "compress",          "disable-status", "exact",
    "immediate", "external-launcher", "interactive",    "kill-on-bad-exit",
    "label",     "no-allocate",       "overlap",        "preserve-env",
    "pty",       "quit-on-interrupt", "send-libs",      "unbuffered"};

bool IsLong(std::string_view word) { return word.starts_with("--"); }

bool HasValueInNextWord(const std::string& word) {
  if (word == "--wait") return true;  // a switch of sbatch
  if (IsLong(word))
    return std::ranges::find(kSwitches, word.substr(2)) == kSwitches.end() && word != "--x11" &&
           TakesNextWord(word);
  const std::size_t valued = word.find_first_not_of(kSwitchLetters, 1);
  return valued != std::string::npos && valued + 1 == word.size();
}

// Srun then starts no program, or several.
bool HasNoSingleProgram(std::string_view word) {
  return word == "--multi-prog" || word == "--version" || word == "-V" || word == "--help" ||
         word == "-h" || word == "--usage";
}

}  // namespace

std::optional<std::size_t> ProgramInSrun(std::span<const std::string> words) {
  if (std::ranges::find(words, ":") != words.end()) return std::nullopt;
  std::size_t at = 0;
  while (at < words.size() && words[at].size() > 1 && words[at].front() == '-') {
    const std::string& word = words[at++];
    if (word == "--") break;
    if (HasNoSingleProgram(word)) return std::nullopt;
    if (HasValueInNextWord(word)) ++at;
  }
  if (at >= words.size()) return std::nullopt;
  return at;
}

}  // namespace ebb::slurm
