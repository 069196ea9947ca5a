#pragma once
// A short text for others, in blocks: written once, shown as Markdown or as LaTeX
// (report/impact/latex.h). Its texts are plain; the writers escape them. Pure.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/text_table.h"

namespace ebb::report {

/// A paragraph, a list or a table. Its label stands before it in bold; empty: none.
struct Block {
  std::string label{};
  std::string text{};
  std::vector<std::pair<std::string, std::string>> list{};  ///< label (may be empty) and value
  std::optional<TextTable> table{};
};

struct Document {
  std::string title;
  std::vector<Block> blocks;
};

/// The document as a section of level 2.
std::string MarkdownOf(const Document& document);

}  // namespace ebb::report
