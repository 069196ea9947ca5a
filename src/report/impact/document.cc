#include "report/impact/document.h"

#include "report/markdown.h"

namespace ebb::report {
namespace {

std::string Bold(const std::string& label, const char* after) {
  return label.empty() ? "" : "**" + EscapeMarkdown(label) + after + "**";
}

std::string Joined(const std::string& label, const std::string& text) {
  return label + (label.empty() || text.empty() ? "" : " ") + text;
}

std::string BlockText(const Block& block) {
  std::string text;
  if (!block.text.empty() || !block.label.empty())
    text += "\n" + Joined(Bold(block.label, "."), EscapeMarkdown(block.text)) + "\n";
  if (!block.list.empty() || block.table) text += "\n";
  for (const auto& [label, value] : block.list)
    text += "- " + Joined(Bold(label, ":"), EscapeMarkdown(value)) + "\n";
  if (block.table) text += MarkdownTable(*block.table);
  return text;
}

}  // namespace

std::string MarkdownOf(const Document& document) {
  std::string text = "## " + EscapeMarkdown(document.title) + "\n";
  for (const Block& block : document.blocks) text += BlockText(block);
  return text;
}

}  // namespace ebb::report
