#pragma once
// The parts that every saved page shares: the document around the sections, and elements whose text
// is escaped. A page is one file without script and without any request.

#include <string>
#include <vector>

#include "report/text_table.h"

namespace ebb::report {

/// <tag>text</tag>
std::string Element(const std::string& tag, const std::string& text);
/// Each text in its own element.
std::string Cells(const std::string& tag, const std::vector<std::string>& texts);
/// The table in a card that scrolls sideways on a small screen. The first cell of a row is its
/// header.
std::string TableCard(const TextTable& table);
/// The same with rows that are HTML.
std::string TableCard(const std::vector<std::string>& headers, const std::string& rows);

/// The whole document. `body` is HTML.
std::string HtmlPage(const std::string& title, const std::string& body);

}  // namespace ebb::report
