#pragma once
// One row of the energy ledger as one line of JSON. Energy is a whole number of microjoules; an
// unknown intensity is null. Layout: docs/ledger.md.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/ledger.h"

namespace ebb::report {

std::string FormatLedgerLine(const core::LedgerRow& row);
/// `where` names file and line in errors.
Result<core::LedgerRow> ParseLedgerLine(std::string_view line, std::string where);

}  // namespace ebb::report
