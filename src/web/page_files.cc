#include "web/page_files.h"

namespace ebb::web {

// Made from the files by cmake/EbbEmbed.cmake.
extern const std::string_view index_page;
extern const std::string_view page_style;
extern const std::string_view page_script;
extern const std::string_view chart_script;

std::optional<PageFile> FindPageFile(std::string_view path) {
  constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  if (path == "/") return PageFile{"text/html; charset=utf-8", index_page};
  if (path == "/page.css") return PageFile{"text/css; charset=utf-8", page_style};
  if (path == "/page.js") return PageFile{kScript, page_script};
  if (path == "/chart.js") return PageFile{kScript, chart_script};
  return std::nullopt;
}

}  // namespace ebb::web
