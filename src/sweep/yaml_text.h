#pragma once
// Writes the YAML of generated manifests: maps, lists and scalars in block style. A string is
// quoted wherever a YAML reader (1.1 or 1.2) could take it for a number, a boolean, null, or
// syntax, so that a reader gets back exactly what was written. Pure; YAML is read in config/.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ebb::sweep {

class Yaml {
 public:
  using Entry = std::pair<std::string, Yaml>;

  Yaml(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}  // NOLINT: a literal
  Yaml(const char* text) : Yaml(std::string(text)) {}                     // NOLINT
  static Yaml Number(std::int64_t number);
  static Yaml Bool(bool value);
  /// A script or another text of whole lines, as a literal block (`|`) that people can read. A text
  /// that a literal block would change is quoted instead.
  static Yaml Lines(std::string text);
  static Yaml Map(std::vector<Entry> entries);
  static Yaml List(std::vector<Yaml> items);

  /// The whole document, ending in a newline.
  std::string Document() const;

 private:
  enum class Kind { kText, kPlain, kLines, kMap, kList };
  explicit Yaml(Kind kind) : kind_(kind) {}
  bool Empty() const;
  std::string Inline() const;
  void WriteLines(std::string& out, std::size_t indent) const;
  void Write(std::string& out, std::size_t indent) const;

  Kind kind_;
  std::string text_;
  std::vector<Entry> entries_;
  std::vector<Yaml> items_;
};

/// Writes the text as a YAML scalar.
std::string YamlScalar(const std::string& text);

}  // namespace ebb::sweep
