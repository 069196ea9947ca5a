#include "core/run/csv_write.h"

#include <array>

#include "base/enum_names.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 2> kNames{"append", "update"};

}  // namespace

std::string_view Name(CsvWrite write) { return kNames[static_cast<std::size_t>(write)]; }
std::optional<CsvWrite> CsvWriteFromName(std::string_view name) {
  return EnumFromName<CsvWrite>(kNames, name);
}
std::vector<std::string> CsvWriteNames() { return {kNames.begin(), kNames.end()}; }

}  // namespace ebb::core
