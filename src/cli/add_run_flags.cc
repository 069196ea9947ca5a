#include "cli/add_run_flags.h"

namespace ebb::cli {
namespace {

const char* Heading(app::FlagGroup group) {
  switch (group) {
    case app::FlagGroup::kGate:
      return "When to start";
    case app::FlagGroup::kSignal:
      return "Grid signal";
    case app::FlagGroup::kPrice:
      return "Electricity prices";
    case app::FlagGroup::kClock:
      return "Replayed grid clock";
    case app::FlagGroup::kMetering:
      return "Measuring";
    case app::FlagGroup::kPower:
      return "Power of GPUs";
    case app::FlagGroup::kOtherSignal:
      return "Second signal";
    case app::FlagGroup::kBudget:
      return "Budget";
    case app::FlagGroup::kOutput:
      return "Output";
    case app::FlagGroup::kTrackers:
      return "Experiment trackers";
  }
  return "";
}

}  // namespace

void AddFlags(Command& command, app::FlagGroup group, app::FlagValues& values,
              const std::set<std::string>& only) {
  for (const app::FlagHelp& flag : app::FlagsOf(group)) {
    if (!only.empty() && !only.contains(flag.name)) continue;
    const FlagText text{flag.name, flag.value_name, flag.help, Heading(group), flag.choices};
    if (flag.value_name.empty())
      command.Switch(text, [&values, name = flag.name] { values[name] = "true"; });
    else
      command.Flag(text,
                   [&values, name = flag.name](const std::string& given) { values[name] = given; });
    if (!flag.formerly.empty())
      command.HiddenFlag(flag.formerly, [&values, name = flag.formerly](const std::string& given) {
        values[name] = given;
      });
  }
}

}  // namespace ebb::cli
