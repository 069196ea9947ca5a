#pragma once
// Operating errors are values. An Error says what went wrong, where, and what to do next; it also
// knows the exit code that a command ending on it should return. Bugs are not Errors: see check.h.

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace ebb {

/// The exit codes of every Ebb command (docs/commands.md). A child's own code is passed through
/// instead.
enum class ExitCode : int {
  kOk = 0,
  kUsage = 2,
  kConfiguration = 3,
  kUnavailable = 4,
  kInfeasible = 5,
  kBug = 70,
  kTryLater = 75,
  kCommandNotExecutable = 126,
  kCommandNotFound = 127,
};

struct Error {
  ExitCode code = ExitCode::kUnavailable;
  std::string what;   ///< what went wrong, one sentence without a final full stop
  std::string where;  ///< file:line, URL or device; empty if `what` names it
  std::string next;   ///< what the reader can do about it; empty if nothing

  /// "where: what (next)", one line for stderr.
  std::string Message() const;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> Fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace ebb

/// Returns the error of an expression that yields a Status or Result, if it has one.
#define EBB_RETURN_IF_ERROR(expression)                                      \
  do {                                                                       \
    if (auto ebb_status_ = (expression); !ebb_status_)                       \
      return ::tl::unexpected<::ebb::Error>(std::move(ebb_status_).error()); \
  } while (false)

#define EBB_CONCAT_INNER_(a, b) a##b
#define EBB_CONCAT_(a, b) EBB_CONCAT_INNER_(a, b)
/// EBB_ASSIGN_OR_RETURN(auto value, Function()): binds the value or returns the error.
#define EBB_ASSIGN_OR_RETURN(declaration, expression)                                             \
  auto EBB_CONCAT_(ebb_result_, __LINE__) = (expression);                                         \
  if (!EBB_CONCAT_(ebb_result_, __LINE__))                                                        \
    return ::tl::unexpected<::ebb::Error>(std::move(EBB_CONCAT_(ebb_result_, __LINE__)).error()); \
  declaration = std::move(*EBB_CONCAT_(ebb_result_, __LINE__))
