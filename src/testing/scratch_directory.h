#pragma once
// Where tests write. CTest runs the cases of one file side by side, and two checkouts may be tested
// on one machine, so no name is ever shared; layering_test.cc sees that all tests write here.

#include <filesystem>
#include <string_view>

namespace ebb {

/// A new, empty directory, named after `name` so that one finds it; removed when the program ends.
std::filesystem::path ScratchDirectory(std::string_view name = "test");

/// Leaves the directories of this program where they are: somebody will want to look inside.
void KeepScratchDirectories();

}  // namespace ebb
