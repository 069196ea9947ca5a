#include "report/run/ledger_file.h"

#include "base/text.h"
#include "core/run/run_fields.h"

namespace ebb::report {

std::string FormatLedgerLine(const core::LedgerRow& row) {
  return ToFieldText(row, FieldStyle::kComplete);
}

Result<core::LedgerRow> ParseLedgerLine(std::string_view line, std::string where) {
  return FromFieldText<core::LedgerRow>(line, std::move(where), FieldStyle::kComplete);
}

std::vector<core::LedgerRow> ParseLedger(std::string_view text, int& damaged) {
  std::vector<core::LedgerRow> rows;
  for (const std::string_view line : Split(text, '\n')) {
    if (Trim(line).empty()) continue;
    auto row = ParseLedgerLine(line, "");
    if (row)
      rows.push_back(*std::move(row));
    else
      ++damaged;
  }
  return rows;
}

}  // namespace ebb::report
