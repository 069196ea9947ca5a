#include "web/live/page_files.h"

#include <map>

namespace ebb::web {

// cmake/EbbEmbed.cmake makes these from the files.
extern const std::string_view index_page;
extern const std::string_view page_style;
extern const std::string_view chart_script;
extern const std::string_view format_script;
extern const std::string_view source_script;
extern const std::string_view token_script;
extern const std::string_view charts_script;
extern const std::string_view queue_script;
extern const std::string_view record_script;
extern const std::string_view job_charts_script;
extern const std::string_view job_script;
extern const std::string_view page_script;
extern const std::string_view sweeps_script;

std::optional<PageFile> FindPageFile(std::string_view path) {
  constexpr std::string_view kHtml = "text/html; charset=utf-8";
  constexpr std::string_view kStyle = "text/css; charset=utf-8";
  constexpr std::string_view kScript = "text/javascript; charset=utf-8";
  static const std::map<std::string_view, PageFile> kFiles{
      {"/", {kHtml, index_page}},
      {"/page.css", {kStyle, page_style}},
      {"/chart.js", {kScript, chart_script}},
      {"/format.js", {kScript, format_script}},
      {"/source.js", {kScript, source_script}},
      {"/token.js", {kScript, token_script}},
      {"/charts.js", {kScript, charts_script}},
      {"/queue.js", {kScript, queue_script}},
      {"/record.js", {kScript, record_script}},
      {"/job_charts.js", {kScript, job_charts_script}},
      {"/job.js", {kScript, job_script}},
      {"/page.js", {kScript, page_script}},
      {"/sweeps.js", {kScript, sweeps_script}},
  };
  const auto found = kFiles.find(path);
  return found == kFiles.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ebb::web
