#pragma once
// One row of the energy ledger as one line of JSON. Energy is a whole number of microjoules; an
// unknown intensity is null. Layout: docs/ledger.md.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/ledger/ledger.h"

namespace ebb::report {

std::string FormatLedgerLine(const core::LedgerRow& row);
/// `where` names file and line for errors.
Result<core::LedgerRow> ParseLedgerLine(std::string_view line, std::string where);

/// The rows of a file of ledger lines. Unreadable lines (a crash may leave one) are left out and
/// counted in `damaged`.
std::vector<core::LedgerRow> ParseLedger(std::string_view text, int& damaged);

}  // namespace ebb::report
