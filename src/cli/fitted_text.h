#pragma once
// A table as wide as standard output shows it (platform::StdoutColumns).

#include <string>

#include "report/text_table.h"

namespace ebb::cli {

/// Cuts texts that are too long. Of the `count` columns from `first` on, those that do not fit are
/// left out, the last one first, and a line after the table names them.
std::string FittedText(report::TextTable table, std::size_t first = 0, std::size_t count = 0);

}  // namespace ebb::cli
