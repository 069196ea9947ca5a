#include "sweep/yaml_text.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"

namespace ebb::sweep {
namespace {

// Words that some YAML reader takes for something else than text.
constexpr std::array<std::string_view, 11> kReserved{"true", "false", "yes",  "no",  "on", "off",
                                                     "y",    "n",     "null", "nan", "inf"};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Decides if text needs no quotes: it begins with a letter, then come only characters that are
// never syntax in their position.
bool PlainIsSafe(const std::string& text) {
  if (text.empty() || !IsLetter(text.front()) || text.back() == ':') return false;
  const bool known = std::all_of(text.begin(), text.end(), [](char c) {
    return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/';
  });
  return known && std::find(kReserved.begin(), kReserved.end(), Lowercase(text)) == kReserved.end();
}

// Characters that are written in several bytes and that YAML does not take as they are: it reads
// some as the end of a line (YAML 1.1), others as no text at all (YAML 1.2.2, chapter 5.1).
struct SpecialCharacter {
  std::string_view bytes;
  std::string_view escape;
};
constexpr std::array kSpecialCharacters{
    SpecialCharacter{"\xe2\x80\xa8", "\\u2028"}, SpecialCharacter{"\xe2\x80\xa9", "\\u2029"},
    SpecialCharacter{"\xef\xbb\xbf", "\\ufeff"}, SpecialCharacter{"\xef\xbf\xbe", "\\ufffe"},
    SpecialCharacter{"\xef\xbf\xbf", "\\uffff"}};

// The characters U+0080 to U+009F are two bytes each.
bool IsControlPair(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
}

std::string HexEscape(unsigned char byte) {
  char code[8];
  std::snprintf(code, sizeof code, "\\x%02x", byte);
  return code;
}

struct Escape {
  std::string text;
  std::size_t length = 1;  ///< bytes that the text stands for
};

// How the character at the beginning of `text` is written between double quotes.
Escape EscapeOf(std::string_view text) {
  switch (text.front()) {
    case '"':
      return {"\\\""};
    case '\\':
      return {"\\\\"};
    case '\n':
      return {"\\n"};
    case '\t':
      return {"\\t"};
    case '\r':
      return {"\\r"};
    default:
      break;
  }
  if (IsControlPair(text)) return {HexEscape(static_cast<unsigned char>(text[1])), 2};
  for (const SpecialCharacter& special : kSpecialCharacters)
    if (text.starts_with(special.bytes)) return {std::string(special.escape), special.bytes.size()};
  const auto byte = static_cast<unsigned char>(text.front());
  if (byte >= ' ' && byte != 0x7f) return {std::string(1, text.front())};
  return {HexEscape(byte)};
}

// Decides if a literal block gives the text back: whole lines, the first of which is not indented,
// with characters that need no escape. A second newline at the end would be lost.
bool LiteralIsSafe(std::string_view text) {
  if (text.size() < 2 || text.back() != '\n' || text[text.size() - 2] == '\n') return false;
  if (text.front() == ' ' || text.front() == '\t' || text.front() == '\n') return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\n' || c == '\t' || c == '"' || c == '\\') continue;
    if (EscapeOf(text.substr(at)).text != std::string_view(&c, 1)) return false;
  }
  return true;
}

}  // namespace

std::string YamlScalar(const std::string& text) {
  if (PlainIsSafe(text)) return text;
  std::string quoted = "\"";
  for (std::string_view rest = text; !rest.empty();) {
    const Escape escape = EscapeOf(rest);
    quoted += escape.text;
    rest.remove_prefix(escape.length);
  }
  return quoted + "\"";
}

Yaml Yaml::Number(std::int64_t number) {
  Yaml yaml(Kind::kPlain);
  yaml.text_ = std::to_string(number);
  return yaml;
}

Yaml Yaml::Bool(bool value) {
  Yaml yaml(Kind::kPlain);
  yaml.text_ = value ? "true" : "false";
  return yaml;
}

Yaml Yaml::Lines(std::string text) {
  if (!LiteralIsSafe(text)) return Yaml(std::move(text));
  Yaml yaml(Kind::kLines);
  yaml.text_ = std::move(text);
  return yaml;
}

Yaml Yaml::Map(std::vector<Entry> entries) {
  Yaml yaml(Kind::kMap);
  yaml.entries_ = std::move(entries);
  return yaml;
}

Yaml Yaml::List(std::vector<Yaml> items) {
  Yaml yaml(Kind::kList);
  yaml.items_ = std::move(items);
  return yaml;
}

bool Yaml::Empty() const { return entries_.empty() && items_.empty(); }

// The text that fits behind "key: ": of scalars, of empty collections, and the mark of a literal
// block.
std::string Yaml::Inline() const {
  switch (kind_) {
    case Kind::kText:
      return YamlScalar(text_);
    case Kind::kPlain:
      return text_;
    case Kind::kLines:
      return "|";
    case Kind::kMap:
      return "{}";
    case Kind::kList:
      return "[]";
  }
  return "";
}

// The lines of a literal block, below its mark.
void Yaml::WriteLines(std::string& out, std::size_t indent) const {
  if (kind_ != Kind::kLines) return;
  for (std::string_view rest = text_; !rest.empty();) {
    const std::size_t end = rest.find('\n') + 1;
    if (end > 1) out += std::string(indent, ' ');
    out += rest.substr(0, end);
    rest.remove_prefix(end);
  }
}

void Yaml::Write(std::string& out, std::size_t indent) const {
  const std::string margin(indent, ' ');
  for (const auto& [key, value] : entries_) {
    out += margin + YamlScalar(key) + ":";
    if (value.Empty()) {
      out += " " + value.Inline() + "\n";
      value.WriteLines(out, indent + 2);
      continue;
    }
    out += "\n";
    value.Write(out, indent + 2);
  }
  for (const Yaml& item : items_) {
    if (item.Empty()) {
      out += margin + "- " + item.Inline() + "\n";
      item.WriteLines(out, indent + 2);
      continue;
    }
    // The item's first line follows the dash.
    std::string block;
    item.Write(block, indent + 2);
    block[indent] = '-';
    out += block;
  }
}

std::string Yaml::Document() const {
  if (Empty()) return Inline() + "\n";
  std::string out;
  Write(out, 0);
  return out;
}

}  // namespace ebb::sweep
