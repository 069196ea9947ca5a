#pragma once
// The figures of one line of a period's table, described once for the terminal, the page and CSV.

#include <string>
#include <vector>

#include "report/period/period.h"
#include "report/table_columns.h"

namespace ebb::report {

/// A row of the report, or its total.
struct PeriodLine {
  const PeriodRow& row;
  const PeriodFigures& figures;
  std::string name, shown_name;  ///< in files empty if unknown, and for the total
  std::string part = "part";     ///< "total"
  bool compared() const { return figures.compared > 0; }
};
/// The rows, then the total. The report must outlive them.
std::vector<PeriodLine> PeriodLines(const PeriodReport& report);

std::vector<Column<PeriodLine>> PeriodColumns(const PeriodRequest& request);

}  // namespace ebb::report
