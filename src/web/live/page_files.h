#pragma once
// The page of the service: files of web/ and the charting library, part of this program.

#include <optional>
#include <string_view>

namespace ebb::web {

struct PageFile {
  std::string_view content_type;
  std::string_view content;
};

/// "/" and what it asks for; nothing for any other path.
std::optional<PageFile> FindPageFile(std::string_view path);

}  // namespace ebb::web
