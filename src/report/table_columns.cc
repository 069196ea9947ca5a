#include "report/table_columns.h"

#include "base/text.h"

namespace ebb::report {

Plain OrOmitted(const std::string& text) { return text.empty() ? Plain(Omitted{}) : text; }

std::string PlainText(const Plain& plain) {
  struct Writer {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(Omitted) const { return ""; }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return FormatExact(number); }
    std::string operator()(bool is_true) const { return is_true ? "true" : "false"; }
    std::string operator()(const Nested& object) const { return ToJson(object); }
  };
  return std::visit(Writer{}, plain);
}

}  // namespace ebb::report
