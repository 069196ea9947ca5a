#pragma once
// The page of the service: the files of web/ and the charting library, embedded in this program.

#include <optional>
#include <string_view>

namespace ebb::web {

struct PageFile {
  std::string_view content_type;
  std::string_view content;
};

/// The file at a path: "/" or one that the page asks for; nullopt for any other path.
std::optional<PageFile> FindPageFile(std::string_view path);

}  // namespace ebb::web
