#pragma once
// Makes one file of the page that needs no server: its style, its scripts and the service's answers
// at one moment are inside. The style and scripts are the files of the live page. Pure.

#include <map>
#include <string>

namespace ebb::web {

/// `answers`: JSON by the path that the page asks for. Nothing in them can become markup or script:
/// they lie in a block of data, and the policy in the file allows only its own scripts.
std::string SavedPage(const std::map<std::string, std::string>& answers);

}  // namespace ebb::web
