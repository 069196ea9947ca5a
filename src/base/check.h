#pragma once
// An always-on check for bugs: for conditions that can be false only if Ebb itself is wrong. A
// failed check prints the condition and ends the process with code 70 (EX_SOFTWARE). Bad input is
// an Error, never a failed check.

namespace ebb {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}

#define EBB_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::ebb::CheckFailed(#condition, __FILE__, __LINE__))
