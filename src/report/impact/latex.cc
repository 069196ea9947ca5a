#include "report/impact/latex.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/columns.h"
#include "base/text.h"

namespace ebb::report {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

// Special characters of LaTeX, characters that its default font shows as others, a bracket that
// `\\` would take for its argument, and two hyphens, which would become a dash.
constexpr std::array<Replacement, 42> kReplacements{{
    {"CO2", "CO$_2$"},
    {"--", "-{}-"},
    {"\\", "\\textbackslash{}"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"#", "\\#"},
    {"$", "\\$"},
    {"%", "\\%"},
    {"&", "\\&"},
    {"_", "\\_"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"|", "$|$"},
    {"[", "{[}"},
    {"\"", "''"},
    {"`", "'"},
    {"\n", " "},
    {"\r", " "},
    {"\u00a0", "~"},
    {"\u00ae", "\\textregistered{}"},
    {"\u2122", "\\texttrademark{}"},
    {"\u00b0", "$^{\\circ}$"},
    {"\u00b1", "$\\pm$"},
    {"\u00b2", "$^2$"},
    {"\u00b3", "$^3$"},
    {"\u00b5", "$\\mu$"},
    {"\u03bc", "$\\mu$"},
    {"\u00b7", "$\\cdot$"},
    {"\u00d7", "$\\times$"},
    {"\u00f7", "$\\div$"},
    {"\u2082", "$_2$"},
    {"\u2013", "--"},
    {"\u2014", "---"},
    {"\u2018", "`"},
    {"\u2019", "'"},
    {"\u201c", "``"},
    {"\u201d", "''"},
    {"\u2026", "\\dots{}"},
    {"\u2264", "$\\leq$"},
    {"\u2265", "$\\geq$"},
}};

// Letters of U+00C0 to U+017F that the default encoding of LaTeX (OT1) lacks.
constexpr std::array<std::string_view, 30> kNotInOt1{
    "\u00d0", "\u00de", "\u00f0", "\u00fe", "\u0104", "\u0105", "\u0110", "\u0111",
    "\u0118", "\u0119", "\u0122", "\u0123", "\u0126", "\u0127", "\u012e", "\u012f",
    "\u0132", "\u0133", "\u0138", "\u013f", "\u0140", "\u0149", "\u014a", "\u014b",
    "\u0166", "\u0167", "\u0172", "\u0173", "\u017f", "\u0130"};

// The number of bytes of the character at the beginning of the text.
std::size_t CharacterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
  return std::min(length, text.size());
}

// True for ASCII and for the Latin letters with accents that every LaTeX shows. Their lead bytes
// are 0xC3 (U+00C0 to U+00FF), 0xC4 and 0xC5 (U+0100 to U+017F).
bool IsShown(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return lead < 0x80;
  if (character.size() != 2 || lead < 0xC3 || lead > 0xC5) return false;
  const auto second = static_cast<unsigned char>(character[1]);
  return second >= 0x80 && second < 0xC0 &&
         std::ranges::find(kNotInOt1, character) == kNotInOt1.end();
}

// The characters of a line of an article in one column, and the space beside a column in the same
// unit. Wider tables would run over the margin.
constexpr std::size_t kLineCharacters = 72;
constexpr std::size_t kBesideColumn = 3;
constexpr std::size_t kLeastPercent = 10;

bool IsText(const TextTable& table, std::size_t column) {
  return column == 0 || std::ranges::find(table.texts, column) != table.texts.end() ||
         (table.ends_in_text && column + 1 == table.headers.size());
}

// Writes one table. If it is too wide for a line, its columns of text share the room that those of
// figures leave, and break their lines.
class TableWriter {
 public:
  explicit TableWriter(const TextTable& table) : table_(table) {
    std::size_t all = 0, figures = 0;
    for (std::size_t column = 0; column < table.headers.size(); ++column) {
      std::size_t widest = ColumnsOf(table.headers[column]);
      for (const auto& row : table.rows) widest = std::max(widest, ColumnsOf(row[column]));
      all += widest + kBesideColumn;
      figures += kBesideColumn + (IsText(table, column) ? 0 : widest);
      texts_ += IsText(table, column) ? 1 : 0;
    }
    const std::size_t left = kLineCharacters - std::min(figures, kLineCharacters);
    if (all > kLineCharacters)
      percent_ = std::max(100 * left / kLineCharacters / texts_, kLeastPercent);
  }

  std::string Columns() const {
    const std::string wrapped = "p{0." + std::to_string(percent_) + "\\linewidth}";
    std::string columns;
    for (std::size_t column = 0; column < table_.headers.size(); ++column)
      columns += !IsText(table_, column) ? "r" : percent_ > 0 ? wrapped : "l";
    return columns;
  }

  std::string Row(const std::vector<std::string>& row) const {
    std::vector<std::string> cells;
    for (std::size_t column = 0; column < row.size(); ++column)
      cells.push_back(IsText(table_, column) && percent_ > 0 ? Wrapped(row[column])
                                                             : EscapeLatex(row[column]));
    // After \raggedright, `\\` would end a line of the cell instead of the row.
    return "    " + Join(cells, " & ") + (percent_ > 0 ? " \\tabularnewline\n" : " \\\\\n");
  }

 private:
  // Names are often long and of one word, whose parts underscores join.
  static std::string Wrapped(const std::string& cell) {
    std::vector<std::string> parts;
    for (const std::string_view part : Split(cell, '_')) parts.push_back(EscapeLatex(part));
    return "\\raggedright " + Join(parts, "\\_\\allowbreak{}");
  }

  const TextTable& table_;
  std::size_t texts_ = 0;
  std::size_t percent_ = 0;  // of the line, for each column of text; 0: the table fits
};

std::string TableText(const Block& block) {
  const TableWriter writer(*block.table);
  std::string text = "\n\\begin{table}[h]\n  \\centering\n";
  if (!block.label.empty())
    text += "  \\caption{" + EscapeLatex(block.label) + "}\n  \\smallskip\n";
  text += "  \\begin{tabular}{" + writer.Columns() + "}\n    \\hline\n" +
          writer.Row(block.table->headers) + "    \\hline\n";
  for (const std::vector<std::string>& row : block.table->rows) text += writer.Row(row);
  return text + "    \\hline\n  \\end{tabular}\n\\end{table}\n";
}

std::string ListText(const Block& block) {
  std::string text = "\n\\begin{itemize}\n";
  for (const auto& [label, value] : block.list)
    text += "  \\item " + (label.empty() ? "" : "\\textbf{" + EscapeLatex(label) + ":} ") +
            EscapeLatex(value) + "\n";
  return text + "\\end{itemize}\n";
}

std::string BlockText(const Block& block) {
  if (block.table) return TableText(block);
  std::string text;
  if (!block.label.empty()) text += "\n\\paragraph{" + EscapeLatex(block.label) + ".}\n";
  if (!block.text.empty())
    text += (block.label.empty() ? "\n" : "") + EscapeLatex(block.text) + "\n";
  return text + (block.list.empty() ? "" : ListText(block));
}

}  // namespace

std::string EscapeLatex(std::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const auto found = std::ranges::find_if(
        kReplacements, [&](const Replacement& one) { return text.starts_with(one.first); });
    if (found != kReplacements.end()) {
      escaped += found->second;
      text.remove_prefix(found->first.size());
      continue;
    }
    const std::string_view character = text.substr(0, CharacterLength(text));
    escaped += IsShown(character) ? Printable(character) : "?";
    text.remove_prefix(character.size());
  }
  return escaped;
}

std::string LatexOf(const Document& document) {
  std::string text = "\\subsection*{" + EscapeLatex(document.title) + "}\n";
  for (const Block& block : document.blocks) text += BlockText(block);
  return text;
}

}  // namespace ebb::report
