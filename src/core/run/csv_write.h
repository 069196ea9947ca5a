#pragma once
// How a run is written into an emissions.csv that several runs share (report/run/emissions_file.h).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ebb::core {

enum class CsvWrite {
  kAppend,  ///< one more row
  kUpdate,  ///< replaces the last row with this run_id, or appends one if there is none
};
/// "append", "update".
std::string_view Name(CsvWrite write);
std::optional<CsvWrite> CsvWriteFromName(std::string_view name);
std::vector<std::string> CsvWriteNames();

}  // namespace ebb::core
