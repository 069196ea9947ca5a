#pragma once
// An error as a terminal may have it. Its words may quote what others wrote: a damaged file, the
// name of a job. A terminal would act on the control characters in that.

#include <string>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace ebb::cli {

/// The message; each control character but the line break is a "?".
inline std::string ErrorText(const Error& error) {
  const std::string message = error.Message();
  std::vector<std::string> lines;
  for (const std::string_view line : Split(message, '\n')) lines.push_back(Printable(line));
  return Join(lines, "\n");
}

}  // namespace ebb::cli
