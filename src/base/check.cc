#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace ebb {

void CheckFailed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "ebb: bug: %s is false at %s:%d\nPlease report this line.\n", condition,
               file, line);
  std::fflush(stderr);
  std::_Exit(70);
}

}  // namespace ebb
