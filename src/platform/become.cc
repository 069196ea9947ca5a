#include "platform/become.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ebb::platform {

Error Become(const std::vector<std::string>& argv) {
  std::vector<char*> pointers;
  for (const std::string& word : argv) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  return {ExitCode::kConfiguration, std::string("cannot be started: ") + std::strerror(errno),
          argv.front(), "see that PATH has it"};
}

}  // namespace ebb::platform
