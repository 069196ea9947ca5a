#pragma once
// Regular expressions of Python's module re, as far as PCRE2 reads them alike. Pure.

#include <string_view>

#include "base/result.h"

namespace ebb::train {

/// An Error (ExitCode::kConfiguration) names what Python and PCRE2 may read differently: most
/// escapes of letters and digits, groups with options, conditions, or verbs, classes in classes.
Status RequireCommonSyntax(std::string_view python_expression);

}  // namespace ebb::train
