// ebb slurm srun: srun whose tasks are measured. A script of `ebb slurm submit --track` calls it in
// place of srun.

#include <filesystem>

#include "app/slurm/tracked_script.h"
#include "cli/command_line.h"
#include "platform/become.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples, in a batch script:
  ebb slurm srun -- -n 4 python train.py        srun -n 4 ebb slurm run -- python train.py

Becomes srun with `ebb slurm run --` before the program, so that every task is measured. A script that
was submitted by ebb slurm submit --track calls it when it calls srun.)";

}  // namespace

void AddSlurmSrunCommand(Parser& parser) {
  Command& command = parser.Add("slurm srun", "srun with every task measured", kExamples);
  auto user_command = std::make_shared<UserCommand>();
  auto options = std::make_shared<std::vector<std::string>>();
  command.TakesUserCommand(&user_command->words);
  command.Flag({"directory", "DIR", "the job's folder, as of ebb slurm run"},
               [options](const std::string& text) { options->push_back("--directory=" + text); });
  command.Flag({"zone", "ZONE", "grid zone, as of ebb slurm run"},
               [options](const std::string& text) { options->push_back("--zone=" + text); });
  command.Action([=]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(const std::vector<std::string> words,
                         user_command->Required("ebb slurm srun -- -n 4 python train.py"));
    std::error_code error;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe", error).string();
    std::vector<std::string> argv = app::TrackedSrun(words, self, *options);
    argv.insert(argv.begin(), "srun");
    return Fail(platform::Become(argv));
  });
}

}  // namespace ebb::cli
