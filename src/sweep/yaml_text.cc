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

std::string Escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= ' ' && byte != 0x7f) return std::string(1, c);
  char code[8];
  std::snprintf(code, sizeof code, "\\x%02x", byte);
  return code;
}

}  // namespace

std::string YamlScalar(const std::string& text) {
  if (PlainIsSafe(text)) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += Escaped(c);
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

// The text that fits behind "key: "; only scalars and empty collections have one.
std::string Yaml::Inline() const {
  switch (kind_) {
    case Kind::kText:
      return YamlScalar(text_);
    case Kind::kPlain:
      return text_;
    case Kind::kMap:
      return "{}";
    case Kind::kList:
      return "[]";
  }
  return "";
}

void Yaml::Write(std::string& out, std::size_t indent) const {
  const std::string margin(indent, ' ');
  for (const auto& [key, value] : entries_) {
    out += margin + YamlScalar(key) + ":";
    if (value.Empty()) {
      out += " " + value.Inline() + "\n";
      continue;
    }
    out += "\n";
    value.Write(out, indent + 2);
  }
  for (const Yaml& item : items_) {
    if (item.Empty()) {
      out += margin + "- " + item.Inline() + "\n";
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
