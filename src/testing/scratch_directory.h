#pragma once
// Directories that tests may write to. CTest runs the cases of one file side by side, and two
// checkouts may be tested on one machine, so no name is ever shared; stands_alone_test.cc checks
// that all tests write here.

#include <filesystem>
#include <string_view>

namespace ebb {

/// Makes a new, empty directory with `name` in its name, so that people can find it. It is removed
/// when the program ends.
std::filesystem::path ScratchDirectory(std::string_view name = "test");

/// Keeps the directories of this program at its end, for people who want to look inside.
void KeepScratchDirectories();

}  // namespace ebb
