#include "base/result.h"

namespace ebb {

std::string Error::Message() const {
  std::string message = where.empty() ? what : where + ": " + what;
  if (!next.empty()) message += " (" + next + ")";
  return message;
}

}  // namespace ebb
