#pragma once
// What LibTorch and the libraries below it throw, as errors. Everything that computes with tensors
// on behalf of a user goes through here: a processor that lacks what a kernel needs, or memory that
// is short, is no reason to abort.

#include <c10/util/Exception.h>

#include <new>
#include <string>

#include "base/result.h"

namespace ebb::train {

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
