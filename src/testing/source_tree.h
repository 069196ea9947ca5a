#pragma once
// The places of files that tests need and that are not part of the program. One translation unit
// knows the paths, so that a compiler cache serves every other one for all checkouts.

#include <string>

namespace ebb {

/// The checkout that the tests were built from, without a slash at its end.
std::string SourceTree();

/// Real series beside the checkout, without a slash at its end. Absent on most machines: a test
/// that needs them skips.
std::string SharedData();

}  // namespace ebb
