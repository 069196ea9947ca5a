#pragma once
// An always-on check for bugs: what can only be false when Ebb itself is wrong. Prints and exits 70
// (EX_SOFTWARE) through abort handlers; never used for bad input, which is an Error.

namespace ebb {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}

#define EBB_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::ebb::CheckFailed(#condition, __FILE__, __LINE__))
