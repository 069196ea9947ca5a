#include "cli/fitted_text.h"

#include "base/text.h"
#include "platform/terminal.h"

namespace ebb::cli {

std::string FittedText(report::TextTable table, std::size_t first, std::size_t count) {
  const std::size_t columns = platform::StdoutColumns();
  const std::vector<std::string> wanted = table.headers;
  table = report::Fitted(std::move(table), first, count, columns);
  const std::string text = report::AlignedTable(table, columns);
  const std::size_t left_out = wanted.size() - table.headers.size();
  if (left_out == 0) return text;
  const auto end = wanted.begin() + static_cast<std::ptrdiff_t>(first + count);
  const std::vector<std::string> names(end - static_cast<std::ptrdiff_t>(left_out), end);
  return text + "no room for " + Printable(Join(names, ", ")) + ": --format json\n";
}

}  // namespace ebb::cli
