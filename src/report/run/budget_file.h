#pragma once
// budget.jsonl: the limits of a run at the beginning of each attempt, and every crossing
// (core/ledger/budget.h). Only runs with a budget have this file. Format: docs/run-directory.md.

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/ledger/budget.h"

namespace ebb::report {

/// The line for limits that apply from now on.
std::string BudgetToJson(const core::Budget& budget, int attempt);
std::string BudgetEventToJson(const core::BudgetEvent& event);
/// Adds one line of either kind to `record`.
Status AddBudgetLine(std::string_view line, std::string where, core::BudgetRecord& record);

}  // namespace ebb::report
