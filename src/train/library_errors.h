#pragma once
// Turns exceptions of LibTorch and of the libraries below it into errors. All computation with
// tensors for a user goes through here, because a processor that lacks what a kernel needs, or too
// little memory, is no reason to abort.

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string>

#include "base/result.h"

namespace ebb::train {

/// The first line of the exception's message; later lines say where in the library it was thrown.
inline std::string WhyOf(const std::exception& error) {
  const auto* of_library = dynamic_cast<const c10::Error*>(&error);
  const std::string why = of_library ? of_library->what_without_backtrace() : error.what();
  return why.substr(0, why.find('\n'));
}

/// Returns the Result of `compute`, or an Error if it throws.
template <typename Compute>
auto WithLibraryErrors(const Compute& compute) -> decltype(compute()) {
  constexpr auto kLessMemory =
      "a smaller --batch-size with a larger --accumulation trains the same";
  try {
    return compute();
  } catch (const c10::Error& error) {
    return Fail({ExitCode::kUnavailable, std::string("LibTorch: ") + error.what_without_backtrace(),
                 "", std::string("if memory is short: ") + kLessMemory});
  } catch (const std::bad_alloc&) {
    return Fail({ExitCode::kUnavailable, "out of memory", "", kLessMemory});
  } catch (const std::exception& error) {
    // oneDNN throws this if it has no kernel for this precision on this processor.
    return Fail({ExitCode::kUnavailable, std::string("LibTorch: ") + error.what(), "",
                 "--precision fp32 works on every processor"});
  }
}

}  // namespace ebb::train
