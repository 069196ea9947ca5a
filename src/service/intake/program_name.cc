#include "service/intake/program_name.h"

#include "base/text.h"
#include "local/supervised_program.h"

namespace ebb::service {

// The options of a shell or an interpreter do not name a program, so all words count then.
std::string ProgramOf(const core::Submission& submission) {
  const auto& command = submission.command;
  const bool is_named = submission.sweep > 0 || !submission.recurring.empty() ||
                        command.size() < 2 || !command[1].starts_with("-");
  return is_named ? local::KindOf(submission) : Join(command, std::string(1, '\0'));
}

}  // namespace ebb::service
