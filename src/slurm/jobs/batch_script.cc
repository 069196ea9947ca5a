#include "slurm/jobs/batch_script.h"

#include "base/text.h"

namespace ebb::slurm {
namespace {

constexpr std::string_view kSbatch = "#SBATCH", kEbb = "#EBB";

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Splits a line into words. Quotes and backslashes protect blanks; a "#" outside of quotes begins a
// comment.
std::vector<std::string> WordsOf(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool is_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      is_word = true;
    } else if (quote != '\0' || c == '"' || c == '\'') {
      const bool is_mark = quote == '\0' || c == quote;
      if (is_mark)
        quote = quote == '\0' ? c : '\0';
      else
        word += c;
      is_word = true;
    } else if (IsBlank(c) || c == '#') {
      if (is_word) words.push_back(std::exchange(word, ""));
      is_word = false;
      if (c == '#') return words;
    } else {
      word += c;
      is_word = true;
    }
  }
  if (is_word) words.push_back(word);
  return words;
}

// The words after the mark; nullopt if the line does not begin with it.
std::optional<std::vector<std::string>> WordsAfter(std::string_view mark, std::string_view line) {
  if (!line.starts_with(mark)) return std::nullopt;
  line.remove_prefix(mark.size());
  if (!line.empty() && !IsBlank(line.front())) return std::nullopt;
  return WordsOf(line);
}

void AddEbbOptions(const std::vector<std::string>& words, int line, BatchScript& script) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      script.problems.push_back("line " + std::to_string(line) + ": " + Quoted(word) +
                                " is not an option; options begin with --");
      continue;
    }
    const std::size_t equals = word.find('=');
    EbbOption option{word.substr(2, equals == std::string::npos ? equals : equals - 2), "", false,
                     line};
    if (equals != std::string::npos) {
      option.has_value = true;
      option.value = word.substr(equals + 1);
    } else if (i + 1 < words.size() && !words[i + 1].starts_with("--")) {
      option.has_value = true;
      option.value = words[++i];
    }
    script.ebb.push_back(std::move(option));
  }
}

}  // namespace

BatchScript ReadBatchScript(std::string_view text) {
  BatchScript script;
  bool is_first_component = true;
  int number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    const std::string_view content = Trim(line);
    if (!content.empty() && content.front() != '#') break;
    if (const auto ebb = WordsAfter(kEbb, line)) AddEbbOptions(*ebb, number, script);
    const auto sbatch = WordsAfter(kSbatch, line);
    if (!sbatch || sbatch->empty()) continue;
    if (sbatch->front() == "hetjob" || sbatch->front() == "packjob") is_first_component = false;
    if (is_first_component)
      script.sbatch.insert(script.sbatch.end(), sbatch->begin(), sbatch->end());
  }
  return script;
}

}  // namespace ebb::slurm
