#pragma once
// XML as a tree of elements: names without their namespaces' prefixes, texts without blanks around
// them, no attributes. An Error with file and line if the text is not XML, has a document type (no
// format read here has one), or is larger or deeper than such formats are. Pure; any thread.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ebb::signals {

struct XmlElement {
  std::string name;
  std::string text;  ///< own text, without that of the elements in it
  std::size_t line = 0;
  std::vector<XmlElement> children;

  /// The first child of that name, or nullptr.
  const XmlElement* Find(std::string_view child) const;
  /// The text of the first child of that name; empty if there is none.
  std::string_view TextOf(std::string_view child) const;
};

inline constexpr std::size_t kMostXmlBytes = 128U << 20;
inline constexpr std::size_t kMostXmlElements = 2'000'000;
inline constexpr std::size_t kDeepestXml = 32;

/// Whether a text can only be XML: "<" is its first character that is not a blank.
bool LooksLikeXml(std::string_view text);

/// Returns the root. `path` is for messages.
Result<XmlElement> ParseXml(std::string_view text, const std::string& path);

}  // namespace ebb::signals
