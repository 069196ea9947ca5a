#pragma once
// Writes a document as LaTeX that needs no package and that pdfTeX, XeTeX and LuaTeX compile. Pure.

#include <string>
#include <string_view>

#include "report/impact/document.h"

namespace ebb::report {

/// The text with the special characters of LaTeX escaped. Letters of Latin scripts stay as they
/// are; a character that pdfTeX cannot show without packages becomes "?".
std::string EscapeLatex(std::string_view text);

/// The document as an unnumbered subsection, its tables as floats.
std::string LatexOf(const Document& document);

}  // namespace ebb::report
