#include "report/compare/one_program.h"

#include <algorithm>
#include <set>

#include "base/columns.h"
#include "base/text.h"
#include "core/jobs/script.h"
#include "report/compare/group_names.h"

namespace ebb::report {
namespace {

constexpr std::size_t kLongestName = 40;
constexpr const char* kAnyway = "--unlike compares runs of unlike programs, too";

// The program of a run, without its arguments. Code given in an argument is itself the program.
std::string ProgramOf(const core::RunSpec& spec) {
  const core::Script script = core::ScriptOf(spec.command);
  const auto flag = std::ranges::find(spec.command, script.code_flag);
  const bool has_code =
      !script.code_flag.empty() && flag != spec.command.end() && flag + 1 != spec.command.end();
  return script.Label() + (has_code ? " " + *(flag + 1) : "");
}

struct Program {
  std::string name;
  std::set<std::string> groups;
  std::set<std::string> finished;  ///< names of the groups with a finished run
  std::size_t runs = 0;

  std::string Text() const {
    return CutTo(Printable(name), kLongestName) + " (" + std::to_string(runs) +
           (runs == 1 ? " run)" : " runs)");
  }
};

struct Programs {
  std::vector<Program> all;         ///< in the order of their first run
  std::vector<std::size_t> of_run;  ///< index into `all` by run
};

Programs ProgramsOf(const std::vector<core::RunRecord>& runs,
                    const std::vector<std::string>& groups) {
  Programs programs;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string name = ProgramOf(runs[i].spec);
    auto program = std::ranges::find_if(
        programs.all, [&](const Program& one) { return one.groups.contains(groups[i]); });
    if (program == programs.all.end())
      program = std::ranges::find(programs.all, name, &Program::name);
    if (program == programs.all.end())
      program = programs.all.insert(program, Program{name, {}, {}, 0});
    program->groups.insert(groups[i]);
    if (runs[i].outcome() == core::AttemptOutcome::kDone) program->finished.insert(groups[i]);
    ++program->runs;
    programs.of_run.push_back(static_cast<std::size_t>(program - programs.all.begin()));
  }
  return programs;
}

std::size_t Chosen(const Programs& programs, const std::string& baseline) {
  const auto of_baseline = std::ranges::find_if(
      programs.all, [&](const Program& one) { return one.groups.contains(baseline); });
  const auto most = std::ranges::max_element(
      programs.all, {}, [](const Program& one) { return one.finished.size(); });
  const auto chosen = of_baseline != programs.all.end() ? of_baseline : most;
  return static_cast<std::size_t>(chosen - programs.all.begin());
}

std::string TextOf(const std::vector<Program>& programs, std::size_t without) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < programs.size(); ++i)
    if (i != without) texts.push_back(programs[i].Text());
  return Join(texts, ", ");
}

}  // namespace

Result<OneProgram> OfOneProgram(std::vector<core::RunRecord> runs, const std::string& baseline) {
  std::vector<const core::RunSpec*> specs;
  for (const core::RunRecord& run : runs) specs.push_back(&run.spec);
  const Programs programs = ProgramsOf(runs, GroupNames(specs));
  const auto has_baseline = [&](const Program& one) { return one.groups.contains(baseline); };
  const bool is_known = baseline.empty() || std::ranges::any_of(programs.all, has_baseline);
  if (programs.all.size() < 2 || !is_known) return OneProgram{std::move(runs), ""};
  const std::size_t chosen = Chosen(programs, baseline);
  const Program& program = programs.all[chosen];
  if (program.groups.size() < 2)
    return Fail({ExitCode::kUsage,
                 "there is nothing to compare with " + program.Text() +
                     ": the other runs are of unlike programs: " + TextOf(programs.all, chosen),
                 "", std::string("name runs of one program; ") + kAnyway});
  OneProgram kept;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (programs.of_run[i] == chosen) kept.runs.push_back(std::move(runs[i]));
  kept.notice = "Left out, because they are not runs of " +
                CutTo(Printable(program.name), kLongestName) + ": " + TextOf(programs.all, chosen) +
                ". " + kAnyway + ".";
  return kept;
}

}  // namespace ebb::report
