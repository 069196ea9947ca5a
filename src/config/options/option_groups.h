#pragma once
// The parts of the table of run_option.h, each in its own file, and short ways to write them.
// Private to config/options.

#include <string>
#include <utility>
#include <vector>

#include "config/options/run_option.h"
#include "core/options/field_builders.h"
#include "core/options/shared_fields.h"

namespace ebb::config {

std::vector<RunOption> GateTable();
std::vector<RunOption> SignalTable();
std::vector<RunOption> PriceTable();
std::vector<RunOption> ClockTable();
std::vector<RunOption> MeteringTable();
std::vector<RunOption> FootprintTable();
std::vector<RunOption> OtherSignalTable();
std::vector<RunOption> PowerTable();
std::vector<RunOption> BudgetTable();
std::vector<RunOption> OutputTable();

inline core::FlagName Flag(std::string name, std::string value_name) {
  return {std::move(name), std::move(value_name)};
}
inline core::Field Text(core::FlagName flag, std::string key, std::string meaning,
                        std::string default_text = "") {
  return ByFlag(std::move(flag),
                {std::move(key), core::Shape::kText, std::move(meaning), std::move(default_text)});
}
inline core::Field Number(core::FlagName flag, std::string key, std::string meaning,
                          std::string default_text, double low, double high) {
  return ByFlag(std::move(flag), core::Number(std::move(key), std::move(meaning),
                                              std::move(default_text), "", low, high));
}
inline core::Field Choice(core::FlagName flag, std::string key, std::string meaning,
                          std::vector<std::string> choices) {
  return ByFlag(std::move(flag),
                core::Choice(std::move(key), std::move(meaning), "", "", std::move(choices)));
}
/// A duration with its limits in seconds; high 0: no upper limit.
inline core::Field Span(core::FlagName flag, std::string key, std::string meaning,
                        std::string default_text, double low = 0, double high = 0) {
  return ByFlag(std::move(flag), {std::move(key), core::Shape::kDuration, std::move(meaning),
                                  std::move(default_text), "", false, low, high});
}
/// A path of a shared field. A job needs an absolute one, because its service has another working
/// directory; a run does not.
inline core::Field AnyPath(core::Field field) {
  field.shape = core::Shape::kText;
  return field;
}

}  // namespace ebb::config
