#include "cli/error_text.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace ebb::cli {
namespace {

constexpr std::string_view kBeforeWords = " \n(:=";

// The length of the text's beginning that people type verbatim: a quotation, a path, an address, a
// flag with its value; 0 if none. The text begins with a word.
std::size_t TypedLength(std::string_view text) {
  if (text.starts_with('"')) {
    const std::size_t end = text.find('"', 1);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  const std::string_view word = text.substr(0, text.find_first_of(" \n"));
  if (word.find('/') != std::string_view::npos) return word.size();
  if (!text.starts_with("--")) return 0;
  const std::size_t value = text.find_first_of(" =");
  if (value == std::string_view::npos) return text.size();
  return std::min(text.find_first_of(" \n", value + 1), text.size());
}

}  // namespace

std::string PrintableLines(std::string_view text) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) lines.push_back(Printable(line));
  return Join(lines, "\n");
}

std::string ForPerson(std::string_view text, const LocalTimes& times) {
  std::string told;
  std::size_t plain = 0;  // begin of the text that nobody types
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = at == 0 || kBeforeWords.find(text[at - 1]) != std::string_view::npos;
    const std::size_t typed = begins ? TypedLength(text.substr(at)) : 0;
    if (typed == 0) {
      ++at;
      continue;
    }
    told += times.InText(text.substr(plain, at - plain));
    told += text.substr(at, typed);
    plain = at += typed;
  }
  return told + times.InText(text.substr(plain));
}

std::string ErrorText(const Error& error) {
  return ForPerson(PrintableLines(error.Message()), LocalTimes::Now());
}

}  // namespace ebb::cli
