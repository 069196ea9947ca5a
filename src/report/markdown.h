#pragma once
// Texts and tables in Markdown, as GitHub, Hugging Face and most trackers show it. Pure.

#include <string>
#include <string_view>

#include "report/text_table.h"

namespace ebb::report {

/// The text with a backslash before each character that Markdown could take for its own, on one
/// line. It can stand in a sentence, in a heading, and in the cell of a table.
std::string EscapeMarkdown(std::string_view text);

/// The table with pipes; its cells are escaped.
std::string MarkdownTable(const TextTable& table);

}  // namespace ebb::report
