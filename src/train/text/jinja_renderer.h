#pragma once
// Renders the tree of a template with variables. It always ends: steps, depth and sizes have
// limits. Pure, but for strftime_now, which gives the time it was made with.

#include <string>

#include "base/result.h"
#include "train/text/jinja_syntax.h"
#include "train/text/jinja_value.h"

namespace ebb::train::jinja {

/// Names in `variables` are what the template can read. Errors (among them what the template
/// raises) have no `where`.
Result<std::string> Render(const Block& block, const Dict& variables);

/// An Error for a filter, test, method or function that Render does not know, wherever it stands.
Status CheckNames(const Block& block);

}  // namespace ebb::train::jinja
