#include "base/wrapped_text.h"

#include <algorithm>
#include <vector>

#include "base/columns.h"
#include "base/text.h"

namespace ebb {
namespace {

// Labels are short. A gap further right than this separates sentences or figures.
constexpr std::size_t kWidestLabel = 24, kWidestWord = 10;
// If less room than this is left beside a label, lines continue at the left edge.
constexpr std::size_t kLeastRoom = 20;

struct Piece {
  std::string_view gap;   ///< the spaces before it
  std::string_view text;  ///< text that stays on one line
};

// The columns of a line's label, with the indentation before it and the gap after it.
std::size_t LabelColumns(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t gap = line.find("  ", begin);
  if (gap != std::string_view::npos) {
    const std::size_t after = std::min(line.find_first_not_of(' ', gap), line.size());
    if (const std::size_t columns = ColumnsOf(line.substr(0, after)); columns <= kWidestLabel)
      return columns;
  }
  const std::size_t space = line.find(' ', begin);
  if (space != std::string_view::npos && space <= kWidestWord && line[space - 1] == ':')
    return space + 1;
  return begin;
}

// The end of the piece at `at` that must not be broken.
std::size_t EndOfPiece(std::string_view line, std::size_t at) {
  const bool after_colon = at >= 2 && line.substr(at - 2, 2) == ": ";
  if (after_colon && line.substr(at).starts_with("ebb ")) return line.size();
  std::size_t end = at;
  bool is_quoted = false;
  for (; end < line.size() && (is_quoted || line[end] != ' '); ++end)
    if (line[end] == '`') is_quoted = !is_quoted;
  // An unclosed quote does not hold text together.
  return is_quoted ? std::min(line.find(' ', at), line.size()) : end;
}

std::vector<Piece> PiecesOf(std::string_view line) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t end = EndOfPiece(line, begin);
    if (begin < end)
      pieces.push_back({line.substr(at, begin - at), line.substr(begin, end - begin)});
    at = end;
  }
  return pieces;
}

std::string WrappedLine(std::string_view line, std::size_t columns) {
  if (ColumnsOf(line) <= columns) return std::string(line);
  std::size_t indent = LabelColumns(line);
  if (indent + kLeastRoom > columns) indent = 0;
  std::string text;
  std::size_t used = 0;
  for (const Piece& piece : PiecesOf(line)) {
    const std::size_t wanted = piece.gap.size() + ColumnsOf(piece.text);
    if (used > indent && used + wanted > columns) {
      text += "\n" + std::string(indent, ' ');
      used = indent;
    } else {
      text += piece.gap;
      used += piece.gap.size();
    }
    text += piece.text;
    used += ColumnsOf(piece.text);
  }
  return text;
}

}  // namespace

std::string WrappedText(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(text, '\n')) lines.push_back(WrappedLine(line, columns));
  return Join(lines, "\n");
}

}  // namespace ebb
