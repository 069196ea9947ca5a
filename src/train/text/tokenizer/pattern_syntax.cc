#include "train/text/tokenizer/pattern_syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "train/text/tokenizer/unicode_additions.h"

namespace ebb::train {
namespace {

// The property White_Space. PCRE2's \s also has U+180E, which stopped being a space in Unicode 6.3.
constexpr std::string_view kSpaces =
    "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{"
    "205f}\\x{3000}";
// Characters with the property Alphabetic that are symbols by category: the circled and squared
// letters.
constexpr std::string_view kSymbolsInWords =
    "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{"
    "1f169}\\x{1f170}-\\x{1f189}";

std::string Escaped(char32_t code_point) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\x{%x}", static_cast<unsigned>(code_point));
  return text.data();
}

// The characters of a category for use inside a class: those of the library's tables and those
// assigned since.
std::string Category(std::string_view category) {
  std::string members = "\\p{" + std::string(category) + "}";
  for (const AssignedRange& range : AssignedSinceUnicode14()) {
    if (!range.category.starts_with(category)) continue;
    members += Escaped(range.first);
    if (range.last > range.first) members += "-" + Escaped(range.last);
  }
  return members;
}

std::string WordCharacters() {
  std::string members;
  for (const char* category : {"L", "M", "Nd", "Nl", "Pc"}) members += Category(category);
  return members + std::string(kSymbolsInWords);
}

bool IsCategory(std::string_view name) {
  constexpr std::string_view kMajor = "LMNPSZC";
  constexpr std::string_view kMinor = "ultmonecdspifk";
  return (name.size() == 1 || (name.size() == 2 && kMinor.find(name[1]) != kMinor.npos)) &&
         !name.empty() && kMajor.find(name[0]) != kMajor.npos;
}

tl::unexpected<Error> Unsupported(std::string what) {
  return Fail({ExitCode::kConfiguration, std::move(what), "", ""});
}

class Translator {
 public:
  explicit Translator(std::string_view expression) : expression_(expression) {}

  Result<std::string> Run() {
    while (at_ < expression_.size()) {
      const char c = expression_[at_];
      if (c == '\\') {
        EBB_RETURN_IF_ERROR(TakeEscape());
      } else if (c == '[') {
        EBB_RETURN_IF_ERROR(TakeBracket());
      } else if (c == ']' && in_class_) {
        in_class_ = false;
        Copy(1);
      } else if (c == '&' && in_class_ && Next(1) == '&') {
        return Unsupported("it intersects classes (&&)");
      } else if (c == '}' && !in_class_ && Next(1) == '+') {
        return Unsupported(
            "a plus after {n,m} means possessive in one syntax and again in the other");
      } else if (c == '(' && !in_class_ && Next(1) == '?') {
        EBB_RETURN_IF_ERROR(TakeGroupOptions());
      } else {
        Copy(1);
      }
    }
    return std::move(result_);
  }

 private:
  char Next(std::size_t offset) const {
    return at_ + offset < expression_.size() ? expression_[at_ + offset] : '\0';
  }
  void Copy(std::size_t count) {
    result_ += expression_.substr(at_, count);
    at_ += count;
  }
  /// Writes a set of characters, inside a class or as a class.
  void Members(const std::string& members, std::size_t length) {
    result_ += in_class_ ? members : "[" + members + "]";
    at_ += length;
  }
  void AllBut(const std::string& members, std::size_t length) {
    result_ += "[^" + members + "]";
    at_ += length;
  }

  Status TakeEscape() {
    const char what = Next(1);
    switch (what) {
      case 's':
        Members(std::string(kSpaces), 2);
        return {};
      case 'w':
        Members(WordCharacters(), 2);
        return {};
      case 'd':
        Members(Category("Nd"), 2);
        return {};
      case 'h':
        Members("0-9A-Fa-f", 2);
        return {};
      case 'p':
      case 'P':
        return TakeProperty();
      case 'S':
      case 'W':
      case 'D':
      case 'H':
        break;
      case 'b':
      case 'B':
      case 'K':
      case 'C':
        return Unsupported("\\" + std::string(1, what) + " means something else in both syntaxes");
      default:
        Copy(2);
        return {};
    }
    if (in_class_) return Unsupported("\\" + std::string(1, what) + " stands inside a class");
    AllBut(what == 'S'   ? std::string(kSpaces)
           : what == 'W' ? WordCharacters()
           : what == 'D' ? Category("Nd")
                         : "0-9A-Fa-f",
           2);
    return {};
  }

  // Takes \p{Name}, \P{Name} or \p{^Name}.
  Status TakeProperty() {
    const std::size_t end = expression_.find('}', at_);
    if (Next(2) != '{' || end == expression_.npos)
      return Unsupported("\\p is not followed by a name in braces");
    std::string_view name = expression_.substr(at_ + 3, end - at_ - 3);
    bool negated = Next(1) == 'P';
    if (name.starts_with('^')) {
      negated = !negated;
      name.remove_prefix(1);
    }
    const std::size_t length = end + 1 - at_;
    if (!IsCategory(name)) {  // such as scripts: the library's tables
      result_ += (negated ? "\\P{" : "\\p{") + std::string(name) + "}";
      at_ += length;
    } else if (!negated) {
      Members(Category(name), length);
    } else if (!in_class_) {
      AllBut(Category(name), length);
    } else {
      return Unsupported("\\P stands inside a class");
    }
    return {};
  }

  Status TakeBracket() {
    if (in_class_) {
      if (Next(1) != ':') return Unsupported("a class stands inside a class");
      const std::size_t end = expression_.find(":]", at_);
      if (end == expression_.npos) return Unsupported("[: has no end");
      Copy(end + 2 - at_);
      return {};
    }
    in_class_ = true;
    Copy(1);
    if (Next(0) == '^') Copy(1);
    if (Next(0) == ']') {  // "]" at the beginning of a class is literal in both syntaxes
      result_ += "\\]";
      ++at_;
    }
    return {};
  }

  // Takes options. (?i) and (?i: mean the same in both syntaxes. (?m) makes the dot match line
  // breaks in one syntax and changes ^ in the other.
  Status TakeGroupOptions() {
    std::size_t end = at_ + 2;
    while (end < expression_.size() && expression_[end] >= 'a' && expression_[end] <= 'z') ++end;
    const std::string_view options = expression_.substr(at_ + 2, end - at_ - 2);
    if (options.find_first_not_of("ix") != options.npos)
      return Unsupported("the option in (?" + std::string(options) + " is not i or x");
    Copy(2);
    return {};
  }

  std::string_view expression_;
  std::size_t at_ = 0;
  std::string result_;
  bool in_class_ = false;
};

}  // namespace

Result<std::string> AsPcre2(std::string_view expression) { return Translator(expression).Run(); }

}  // namespace ebb::train
