#include "train/text/pattern_syntax.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

namespace ebb::train {
namespace {

struct AssignedRange {
  char32_t first = 0, last = 0;
  std::string_view category;
};

// What Oniguruma 6.9.10 (Unicode 16, the one in `tokenizers`) knows and PCRE2 10.42 (Unicode 14)
// does not: characters that were assigned since, with their general category.
constexpr AssignedRange kAssignedSince14[] = {
    {0x897, 0x897, "Mn"},     {0xcf3, 0xcf3, "Mc"},     {0xece, 0xece, "Mn"},
    {0x1b4e, 0x1b4f, "Po"},   {0x1b7f, 0x1b7f, "Po"},   {0x1c89, 0x1c89, "Lu"},
    {0x1c8a, 0x1c8a, "Ll"},   {0x2427, 0x2429, "So"},   {0x2ffc, 0x2fff, "So"},
    {0x31e4, 0x31e5, "So"},   {0x31ef, 0x31ef, "So"},   {0xa7cb, 0xa7cc, "Lu"},
    {0xa7cd, 0xa7cd, "Ll"},   {0xa7da, 0xa7da, "Lu"},   {0xa7db, 0xa7db, "Ll"},
    {0xa7dc, 0xa7dc, "Lu"},   {0x105c0, 0x105f3, "Lo"}, {0x10d40, 0x10d49, "Nd"},
    {0x10d4a, 0x10d4d, "Lo"}, {0x10d4e, 0x10d4e, "Lm"}, {0x10d4f, 0x10d4f, "Lo"},
    {0x10d50, 0x10d65, "Lu"}, {0x10d69, 0x10d6d, "Mn"}, {0x10d6e, 0x10d6e, "Pd"},
    {0x10d6f, 0x10d6f, "Lm"}, {0x10d70, 0x10d85, "Ll"}, {0x10d8e, 0x10d8f, "Sm"},
    {0x10ec2, 0x10ec4, "Lo"}, {0x10efc, 0x10eff, "Mn"}, {0x1123f, 0x11240, "Lo"},
    {0x11241, 0x11241, "Mn"}, {0x11380, 0x11389, "Lo"}, {0x1138b, 0x1138b, "Lo"},
    {0x1138e, 0x1138e, "Lo"}, {0x11390, 0x113b5, "Lo"}, {0x113b7, 0x113b7, "Lo"},
    {0x113b8, 0x113ba, "Mc"}, {0x113bb, 0x113c0, "Mn"}, {0x113c2, 0x113c2, "Mc"},
    {0x113c5, 0x113c5, "Mc"}, {0x113c7, 0x113ca, "Mc"}, {0x113cc, 0x113cd, "Mc"},
    {0x113ce, 0x113ce, "Mn"}, {0x113cf, 0x113cf, "Mc"}, {0x113d0, 0x113d0, "Mn"},
    {0x113d1, 0x113d1, "Lo"}, {0x113d2, 0x113d2, "Mn"}, {0x113d3, 0x113d3, "Lo"},
    {0x113d4, 0x113d5, "Po"}, {0x113d7, 0x113d8, "Po"}, {0x113e1, 0x113e2, "Mn"},
    {0x116d0, 0x116e3, "Nd"}, {0x1171e, 0x1171e, "Mc"}, {0x11b00, 0x11b09, "Po"},
    {0x11bc0, 0x11be0, "Lo"}, {0x11be1, 0x11be1, "Po"}, {0x11bf0, 0x11bf9, "Nd"},
    {0x11f00, 0x11f01, "Mn"}, {0x11f02, 0x11f02, "Lo"}, {0x11f03, 0x11f03, "Mc"},
    {0x11f04, 0x11f10, "Lo"}, {0x11f12, 0x11f33, "Lo"}, {0x11f34, 0x11f35, "Mc"},
    {0x11f36, 0x11f3a, "Mn"}, {0x11f3e, 0x11f3f, "Mc"}, {0x11f40, 0x11f40, "Mn"},
    {0x11f41, 0x11f41, "Mc"}, {0x11f42, 0x11f42, "Mn"}, {0x11f43, 0x11f4f, "Po"},
    {0x11f50, 0x11f59, "Nd"}, {0x11f5a, 0x11f5a, "Mn"}, {0x1342f, 0x1342f, "Lo"},
    {0x13439, 0x1343f, "Cf"}, {0x13440, 0x13440, "Mn"}, {0x13441, 0x13446, "Lo"},
    {0x13447, 0x13455, "Mn"}, {0x13460, 0x143fa, "Lo"}, {0x16100, 0x1611d, "Lo"},
    {0x1611e, 0x16129, "Mn"}, {0x1612a, 0x1612c, "Mc"}, {0x1612d, 0x1612f, "Mn"},
    {0x16130, 0x16139, "Nd"}, {0x16d40, 0x16d42, "Lm"}, {0x16d43, 0x16d6a, "Lo"},
    {0x16d6b, 0x16d6c, "Lm"}, {0x16d6d, 0x16d6f, "Po"}, {0x16d70, 0x16d79, "Nd"},
    {0x18cff, 0x18cff, "Lo"}, {0x1b132, 0x1b132, "Lo"}, {0x1b155, 0x1b155, "Lo"},
    {0x1cc00, 0x1ccef, "So"}, {0x1ccf0, 0x1ccf9, "Nd"}, {0x1cd00, 0x1ceb3, "So"},
    {0x1d2c0, 0x1d2d3, "No"}, {0x1df25, 0x1df2a, "Ll"}, {0x1e030, 0x1e06d, "Lm"},
    {0x1e08f, 0x1e08f, "Mn"}, {0x1e4d0, 0x1e4ea, "Lo"}, {0x1e4eb, 0x1e4eb, "Lm"},
    {0x1e4ec, 0x1e4ef, "Mn"}, {0x1e4f0, 0x1e4f9, "Nd"}, {0x1e5d0, 0x1e5ed, "Lo"},
    {0x1e5ee, 0x1e5ef, "Mn"}, {0x1e5f0, 0x1e5f0, "Lo"}, {0x1e5f1, 0x1e5fa, "Nd"},
    {0x1e5ff, 0x1e5ff, "Po"}, {0x1f6dc, 0x1f6dc, "So"}, {0x1f774, 0x1f776, "So"},
    {0x1f77b, 0x1f77f, "So"}, {0x1f7d9, 0x1f7d9, "So"}, {0x1f8b2, 0x1f8bb, "So"},
    {0x1f8c0, 0x1f8c1, "So"}, {0x1fa75, 0x1fa77, "So"}, {0x1fa87, 0x1fa89, "So"},
    {0x1fa8f, 0x1fa8f, "So"}, {0x1faad, 0x1faaf, "So"}, {0x1fabb, 0x1fabf, "So"},
    {0x1fac6, 0x1fac6, "So"}, {0x1face, 0x1facf, "So"}, {0x1fada, 0x1fadc, "So"},
    {0x1fadf, 0x1fadf, "So"}, {0x1fae8, 0x1fae9, "So"}, {0x1faf7, 0x1faf8, "So"},
    {0x1fbcb, 0x1fbef, "So"}, {0x2b739, 0x2b739, "Lo"}, {0x2ebf0, 0x2ee5d, "Lo"},
    {0x31350, 0x323af, "Lo"}};

// The property White_Space. PCRE2's \s has U+180E besides, which stopped being a space in
// Unicode 6.3.
constexpr std::string_view kSpaces =
    "\\x{9}-\\x{d}\\x{20}\\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{"
    "205f}\\x{3000}";
// Letters of the property Alphabetic that are symbols by category, the circled and squared ones.
constexpr std::string_view kSymbolsInWords =
    "\\x{b2}\\x{b3}\\x{b9}\\x{bc}-\\x{be}\\x{24b6}-\\x{24e9}\\x{1f130}-\\x{1f149}\\x{1f150}-\\x{"
    "1f169}\\x{1f170}-\\x{1f189}";

std::string Escaped(char32_t code_point) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\x{%x}", static_cast<unsigned>(code_point));
  return text.data();
}

// Inside a class: the characters of a category, those of the library's tables and those assigned
// since.
std::string Category(std::string_view category) {
  std::string members = "\\p{" + std::string(category) + "}";
  for (const AssignedRange& range : kAssignedSince14) {
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
  /// A set of characters, inside a class or as one.
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

  // \p{Name}, \P{Name}, \p{^Name}.
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
    if (!IsCategory(name)) {  // scripts and the like: the library's tables
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
    if (Next(0) == ']') {  // itself at the beginning of a class, in both syntaxes
      result_ += "\\]";
      ++at_;
    }
    return {};
  }

  // (?i) and (?i: mean the same; (?m) is a dot that matches line breaks in one syntax and something
  // about ^ in the other.
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
