#pragma once
// The page as one file that needs nobody: its style, its scripts and what the service answered at
// one moment are inside it. The same files as the live page, put together. Pure.

#include <map>
#include <string>

namespace ebb::web {

/// `answers`: JSON by path, as the page asks for it. Nothing in them can become markup or script:
/// they lie in a block of data, and the policy in the file lets no other script run than its own.
std::string SavedPage(const std::map<std::string, std::string>& answers);

}  // namespace ebb::web
