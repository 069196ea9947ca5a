#pragma once
// Renders the tree of a template with variables. Rendering always ends: steps, depth and sizes have
// limits. Pure, except for strftime_now, which gives the time it was made with.

#include <string>

#include "base/result.h"
#include "train/text/template/jinja_syntax.h"
#include "train/text/template/jinja_value.h"

namespace ebb::train::jinja {

/// The template can read the names in `variables`. Errors (including those that the template
/// raises) have no `where`.
Result<std::string> Render(const Block& block, const Dict& variables);

/// An Error if a filter, test, method or function anywhere in the template is unknown to Render.
Status CheckNames(const Block& block);

}  // namespace ebb::train::jinja
