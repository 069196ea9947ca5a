#pragma once
// What LibTorch and the libraries below it throw, as errors. Everything that computes with tensors
// on behalf of a user goes through here: a processor that lacks what a kernel needs, or memory that
// is short, is no reason to abort.

#include <c10/util/Exception.h>

#include <exception>
#include <new>
#include <string>

#include "base/result.h"

namespace ebb::train {

/// The first line of what LibTorch says: what follows is where in the library it was.
inline std::string WhyOf(const std::exception& error) {
  const auto* of_library = dynamic_cast<const c10::Error*>(&error);
  const std::string why = of_library ? of_library->what_without_backtrace() : error.what();
  return why.substr(0, why.find('\n'));
}

/// What `compute`, which returns a Result, returns.
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
    // Of oneDNN: it has no kernel for this precision on this processor.
    return Fail({ExitCode::kUnavailable, std::string("LibTorch: ") + error.what(), "",
                 "--precision fp32 works on every processor"});
  }
}

}  // namespace ebb::train
