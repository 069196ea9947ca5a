#include "train/text/tokenizer/python_pattern.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace ebb::train {
namespace {

constexpr std::string_view kCommonEscapes = "dDsSwWbB";
constexpr std::string_view kCommonGroups[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!"};

bool IsLetterOrDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

// The number of characters that belong together at the beginning of `rest`; 0 if Python and PCRE2
// may read them differently.
std::size_t CommonLength(std::string_view rest, bool in_class) {
  if (static_cast<unsigned char>(rest[0]) >= 0x80) return 0;
  if (rest[0] == '\\') {
    if (rest.size() < 2) return 0;
    const bool common = !IsLetterOrDigit(rest[1]) || kCommonEscapes.find(rest[1]) != rest.npos;
    return common && !(in_class && (rest[1] == 'b' || rest[1] == 'B')) ? 2 : 0;
  }
  if (in_class) return rest[0] == '[' ? 0 : 1;
  if (rest.starts_with("{,")) return 0;  // repeats from 0 in Python, literal in PCRE2
  if (rest.starts_with("(*")) return 0;
  if (!rest.starts_with("(?")) return 1;
  const auto group = std::ranges::find_if(
      kCommonGroups, [&](std::string_view begin) { return rest.starts_with(begin); });
  return group == std::end(kCommonGroups) ? 0 : group->size();
}

}  // namespace

Status RequireCommonSyntax(std::string_view expression) {
  bool in_class = false;
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t length = CommonLength(expression.substr(at), in_class);
    if (length == 0)
      return Fail({ExitCode::kConfiguration,
                   "the regular expression " + Quoted(std::string(expression)) +
                       " is not supported from its character " + std::to_string(at + 1) + " on",
                   "", ""});
    const char c = expression[at];
    at += length;
    if (!in_class && c == '[') {
      in_class = true;
      if (at < expression.size() && expression[at] == '^') ++at;
      if (at < expression.size() && expression[at] == ']') ++at;  // a literal "]"
    } else if (in_class && c == ']') {
      in_class = false;
    }
  }
  return {};
}

}  // namespace ebb::train
