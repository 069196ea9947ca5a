#include "slurm/jobs/sbatch_line.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

// Options that never take the next word: they have no value, or an optional one after "=".
constexpr std::string_view kSwitchLetters = "HhkOQsvVW";
constexpr std::array<std::string_view, 30> kSwitches{
    "hold",          "help",       "no-kill",       "overcommit",    "quiet",
    "oversubscribe", "share",      "verbose",       "version",       "wait",
    "contiguous",    "exclusive",  "get-user-env",  "ignore-pbs",    "nice",
    "no-requeue",    "parsable",   "propagate",     "reboot",        "requeue",
    "spread-job",    "test-only",  "usage",         "use-min-nodes", "stepmgr",
    "no-bell",       "resv-ports", "oom-kill-step", "external",      "consolidate-segments"};

bool IsOption(std::string_view word) { return word.size() > 1 && word.front() == '-'; }
bool IsLong(std::string_view word) { return word.starts_with("--"); }

// The value within a word of letters: "4" in "-n4", "-Hn4"; nullopt if the letter is not in it.
std::optional<std::string> ValueAfter(char letter, std::string_view word) {
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (word[i] == letter) return std::string(word.substr(i + 1));
    if (kSwitchLetters.find(word[i]) == std::string_view::npos) break;
  }
  return std::nullopt;
}

int Whole(const std::optional<std::string>& text, int otherwise) {
  // "2-4" nodes are at least 2.
  const auto number = text ? ParseInteger(text->substr(0, text->find('-'))) : std::nullopt;
  constexpr int kMost = 1'000'000;
  return number && *number > 0 && *number <= kMost ? static_cast<int>(*number) : otherwise;
}

// "2", "a100:2" and "a100:1,v100:1" GPUs.
int GpusIn(const std::optional<std::string>& text) {
  int sum = 0;
  for (const std::string_view part : Split(text.value_or(""), ',')) {
    const std::size_t colon = part.rfind(':');
    sum += Whole(std::string(colon == std::string_view::npos ? part : part.substr(colon + 1)), 0);
  }
  return sum;
}

}  // namespace

bool TakesNextWord(const std::string& option) {
  if (!IsOption(option)) return false;
  if (IsLong(option))
    return option.find('=') == std::string::npos &&
           std::ranges::find(kSwitches, option.substr(2)) == kSwitches.end();
  const std::size_t valued = option.find_first_not_of(kSwitchLetters, 1);
  return valued != std::string::npos && valued + 1 == option.size();
}

SbatchLine ReadSbatchLine(std::span<const std::string> words) {
  SbatchLine line;
  std::size_t at = 0;
  while (at < words.size() && (IsOption(words[at]) || words[at] == ":") && words[at] != "--") {
    const bool with_next = TakesNextWord(words[at]) && at + 1 < words.size();
    for (std::size_t i = 0; i <= (with_next ? 1U : 0U); ++i) line.options.push_back(words[at++]);
  }
  if (at < words.size() && words[at] == "--") ++at;
  if (at < words.size()) line.script = words[at++];
  line.arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
  return line;
}

std::optional<std::string> ValueOf(std::span<const std::string> options,
                                   const SbatchOption& option) {
  std::optional<std::string> value;
  const std::string flag = "--" + std::string(option.name);
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& word = options[i];
    const bool with_next = TakesNextWord(word) && i + 1 < options.size();
    std::optional<std::string> found;
    if (IsLong(word)) {
      if (word == flag) found = "";
      if (word.starts_with(flag + "=")) found = word.substr(flag.size() + 1);
    } else if (IsOption(word) && option.letter != '\0') {
      found = ValueAfter(option.letter, word);
    }
    if (with_next) ++i;
    if (found) value = with_next && found->empty() ? options[i] : *found;
  }
  return value;
}

std::vector<std::string> Without(std::span<const std::string> options, const SbatchOption& option) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::size_t words = TakesNextWord(options[i]) && i + 1 < options.size() ? 2 : 1;
    const auto one = options.subspan(i, words);
    if (!ValueOf(one, option)) kept.insert(kept.end(), one.begin(), one.end());
    i += words - 1;
  }
  return kept;
}

SbatchRequest RequestOf(std::span<const std::string> options) {
  const auto value = [&](const char* name, char letter = '\0') {
    return ValueOf(options, {name, letter});
  };
  SbatchRequest request;
  const int nodes = request.nodes = Whole(value("nodes", 'N'), 1);
  const int tasks = request.tasks =
      Whole(value("ntasks", 'n'), nodes * Whole(value("ntasks-per-node"), 1));
  request.cores = tasks * Whole(value("cpus-per-task", 'c'), 1);
  const auto take = [&](int gpus, GpusBy by) {
    if (request.gpus > 0 || gpus == 0) return;
    request.gpus = gpus;
    request.gpus_by = by;
  };
  take(GpusIn(value("gpus", 'G')), GpusBy::kJob);
  take(nodes * GpusIn(value("gpus-per-node")), GpusBy::kNode);
  take(tasks * GpusIn(value("gpus-per-task")), GpusBy::kTask);
  take(nodes * ReadGpus(value("gres").value_or("")).count, GpusBy::kNode);
  return request;
}

}  // namespace ebb::slurm
