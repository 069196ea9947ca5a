#include "config/options/run_option.h"

#include <algorithm>

#include "base/check.h"
#include "config/options/option_groups.h"

namespace ebb::config {

std::span<const RunOption> RunOptionTable() {
  static const std::vector<RunOption> table = [] {
    std::vector<RunOption> all;
    for (auto part :
         {GateTable(), SignalTable(), PriceTable(), ClockTable(), MeteringTable(), PowerTable(),
          OtherSignalTable(), FootprintTable(), BudgetTable(), OutputTable()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

const RunOption* RunOptionOfFlag(std::string_view flag) {
  const auto table = RunOptionTable();
  const auto found = std::ranges::find_if(
      table, [&](const RunOption& option) { return option.field.flag.name == flag; });
  return found == table.end() || flag.empty() ? nullptr : &*found;
}

const RunOption& RunOptionOfKey(std::string_view section, std::string_view key) {
  const auto table = RunOptionTable();
  const auto found = std::ranges::find_if(table, [&](const RunOption& option) {
    return option.section == section && option.field.key == key;
  });
  EBB_CHECK(found != table.end());
  return *found;
}

std::optional<std::string> StoredText(const RunOption& option, const RunOptions& options) {
  if (option.stored == Stored::kNever) return std::nullopt;
  const auto value = option.member.get(options);
  if (!value) return std::nullopt;
  if (option.stored == Stored::kUnlessDefault && value == option.member.get(RunOptions()))
    return std::nullopt;
  return core::OptionText(*value);
}

}  // namespace ebb::config
