#pragma once
// Checks regular expressions of Python's module re for parts that PCRE2 reads differently. Pure.

#include <string_view>

#include "base/result.h"

namespace ebb::train {

/// An Error (ExitCode::kConfiguration) names a part that Python and PCRE2 may read differently:
/// most escapes of letters and digits, groups with options, conditions, or verbs, classes in
/// classes.
Status RequireCommonSyntax(std::string_view python_expression);

}  // namespace ebb::train
