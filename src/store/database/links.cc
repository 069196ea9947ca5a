#include "store/database/links.h"

#include "base/text.h"

namespace ebb::store {
namespace {

// Every record must be one line.
std::string OnOneLine(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (c == '\\')
      line += "\\\\";
    else if (c == '\n')
      line += "\\n";
    else
      line += c;
  }
  return line;
}

struct ToText {
  std::string operator()(std::monostate) const { return "~"; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return FormatExact(number); }
  std::string operator()(const std::string& text) const {
    return std::to_string(text.size()) + ":" + OnOneLine(text);
  }
};

}  // namespace

std::string LinkText(const Values& values) {
  std::string record;
  for (const Value& value : values) {
    if (&value != &values.front()) record += ',';
    record += std::visit(ToText{}, value);
  }
  return record;
}

}  // namespace ebb::store
