#include "kubernetes/devices/plain_pattern.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace ebb::kubernetes {
namespace {

struct Part {
  enum class Kind { kLetter, kAny, kMany };
  Kind kind = Kind::kLetter;
  char letter = '\0';
};
using Parts = std::vector<Part>;

char Lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Returns nothing if the pattern is not plain.
std::optional<Parts> ReadAlternative(std::string_view pattern) {
  const Part many{Part::Kind::kMany};
  Parts parts;
  const bool from_begin = pattern.starts_with('^');
  if (from_begin)
    pattern.remove_prefix(1);
  else
    parts.push_back(many);
  bool to_end = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char letter = pattern[i];
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (letter == '.') {
      if (next != '*') parts.push_back({Part::Kind::kAny});
      if (next == '*' || next == '+') {
        parts.push_back(many);
        ++i;
      }
    } else if (letter == '\\' && std::ispunct(static_cast<unsigned char>(next))) {
      parts.push_back({Part::Kind::kLetter, next});
      ++i;
    } else if (letter == '$' && i + 1 == pattern.size()) {
      to_end = true;
    } else if (std::string_view("\\^$*+?()[]{}").find(letter) != std::string_view::npos) {
      return std::nullopt;
    } else {
      parts.push_back({Part::Kind::kLetter, letter});
    }
  }
  if (!to_end) parts.push_back(many);
  return parts;
}

// Follows all positions in the text that can be reached, part by part.
bool Fits(const Parts& parts, std::string_view text, bool in_any_case) {
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  for (const Part& part : parts) {
    if (part.kind == Part::Kind::kMany) {
      const auto first = std::find(reached.begin(), reached.end(), true);
      std::fill(first, reached.end(), true);
      continue;
    }
    for (std::size_t i = text.size(); i > 0; --i) {
      const char letter = text[i - 1];
      const bool is_it = part.kind == Part::Kind::kAny || letter == part.letter ||
                         (in_any_case && Lower(letter) == Lower(part.letter));
      reached[i] = reached[i - 1] && is_it;
    }
    reached[0] = false;
  }
  return reached.back();
}

}  // namespace

std::optional<bool> IsFound(std::string_view pattern, std::string_view text) {
  constexpr std::string_view kInAnyCase = "(?i)";
  const bool in_any_case = pattern.starts_with(kInAnyCase);
  if (in_any_case) pattern.remove_prefix(kInAnyCase.size());
  bool found = false;
  for (;;) {
    const std::size_t end = pattern.find('|');
    const auto parts = ReadAlternative(pattern.substr(0, end));
    if (!parts) return std::nullopt;
    found = found || Fits(*parts, text, in_any_case);
    if (end == std::string_view::npos) return found;
    pattern.remove_prefix(end + 1);
  }
}

}  // namespace ebb::kubernetes
