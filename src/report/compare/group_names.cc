#include "report/compare/group_names.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/columns.h"
#include "base/text.h"
#include "core/jobs/script.h"
#include "report/compare/factors.h"

namespace ebb::report {
namespace {

// Longer names do not fit into a table.
constexpr std::size_t kLongestName = 60;

// The properties that repeats share. The name is the user's, or the label of the script.
struct Kind {
  std::string name;
  std::vector<std::string> arguments;  ///< with their values, without the seed: "--lr 1e-3"
  std::string schedule;
  friend auto operator<=>(const Kind&, const Kind&) = default;
};

bool IsFlag(std::string_view word) { return word.starts_with('-') && !ParseNumber(word); }

// After a short flag like -u, only a number is certainly its value.
bool TakesValue(std::string_view flag, std::string_view next) {
  if (!IsFlag(flag) || flag.find('=') != std::string::npos) return false;
  return ParseNumber(next) || (flag.starts_with("--") && flag.size() > 2 && !IsFlag(next));
}

// The words of the command, each flag together with its value. Names of groups show the words that
// differ.
std::vector<std::string> ArgumentsOf(const std::vector<std::string>& command) {
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < command.size(); ++i) {
    arguments.push_back(command[i]);
    if (i + 1 < command.size() && TakesValue(command[i], command[i + 1]))
      arguments.back() += " " + command[++i];
  }
  return arguments;
}

// "--seed 3", "--random_seed=3", Hydra's "training.seed=3".
bool IsSeed(std::string_view argument) {
  const auto end = argument.find_first_of(" =");
  if (end == std::string_view::npos || !ParseInteger(argument.substr(end + 1))) return false;
  const std::string name = Lowercase(argument.substr(0, end));
  const std::size_t begin = name.find_last_of("-_.+");
  return (begin == std::string::npos ? name : name.substr(begin + 1)) == "seed";
}

// True for a name that the user did not choose: the script's name (with its suffix or, as the
// Python module writes it, without) or the program's, which early versions used.
bool IsDerived(const std::string& name, const core::RunSpec& spec) {
  using std::filesystem::path;
  if (spec.command.empty()) return false;
  const std::string script = core::ScriptOf(spec.command).name;
  return name == script || name == path(script).stem() ||
         name == path(spec.command.front()).filename();
}

Kind GroupOf(const core::RunSpec& spec) {
  const std::string& name = spec.group.empty() ? spec.name : spec.group;
  if (!IsDerived(name, spec)) return {name, {}, ""};
  Kind group{core::ScriptOf(spec.command).Label(), ArgumentsOf(spec.command),
             FactorLevel(spec, Factor::kSchedule)};
  std::erase_if(group.arguments, IsSeed);
  return group;
}

// Arguments and schedule that all groups of one label share. Their names leave them out.
struct Common {
  std::set<std::string> arguments;
  std::optional<std::string> schedule;  ///< nothing if the groups differ in it
};

Common CommonOf(const std::vector<const Kind*>& alike) {
  const auto& first = alike.front()->arguments;
  Common common{{first.begin(), first.end()}, alike.front()->schedule};
  for (const Kind* group : alike) {
    std::erase_if(common.arguments, [&](const std::string& argument) {
      return std::find(group->arguments.begin(), group->arguments.end(), argument) ==
             group->arguments.end();
    });
    if (common.schedule != group->schedule) common.schedule.reset();
  }
  return common;
}

std::string NameOf(const Kind& group, const Common& common) {
  std::string name = group.name;
  for (const std::string& argument : group.arguments)
    if (!common.arguments.contains(argument)) name += " " + Printable(argument);
  name = CutTo(name, kLongestName);
  return common.schedule || group.schedule.empty() ? name : name + " (" + group.schedule + ")";
}

// Names of the groups in the order of their first run. Groups with equal names, for example those
// that differ only in the order of arguments, are numbered.
std::map<Kind, std::string> Named(const std::vector<Kind>& groups) {
  std::map<std::string, std::vector<const Kind*>> alike;
  for (const Kind& group : groups) alike[group.name].push_back(&group);
  std::map<Kind, std::string> names;
  std::set<std::string> taken;
  for (const Kind& group : groups) {
    if (names.contains(group)) continue;
    const std::string name = NameOf(group, CommonOf(alike[group.name]));
    std::string free = name;
    for (int number = 2; !taken.insert(free).second; ++number)
      free = name + " (" + std::to_string(number) + ")";
    names[group] = free;
  }
  return names;
}

}  // namespace

std::vector<std::string> GroupNames(const std::vector<const core::RunSpec*>& runs) {
  std::vector<Kind> groups;
  for (const core::RunSpec* run : runs) groups.push_back(GroupOf(*run));
  const std::map<Kind, std::string> names = Named(groups);
  std::vector<std::string> result;
  for (const Kind& group : groups) result.push_back(names.at(group));
  return result;
}

}  // namespace ebb::report
