#pragma once
// Typed reading of one map of a configuration: a section is a list of rules (key name and how its
// value is read), and every key that no rule accepts is a problem with its line. Problems are
// collected, so that all mistakes of a file are reported at once. Pure.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "config/yaml/yaml_tree.h"

namespace ebb::config {

/// Mistakes in one file, in the order in which they were found.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  void Add(int line, std::string what);
  bool empty() const { return found_.empty(); }
  /// All problems as one Error, sorted by line; there must be at least one.
  Error ToError() const;

 private:
  struct Problem {
    int line;
    std::string what;
  };
  std::string file_;
  std::vector<Problem> found_;
};

/// A value that the file may give, and its line.
template <typename T>
struct Given {
  std::optional<T> value;
  int line = 0;
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  T value_or(T fallback) const { return value.value_or(std::move(fallback)); }
};

/// The range of accepted numbers, both ends included.
struct Range {
  double low;
  double high;
};

/// A key and how its value is read.
struct KeyRule {
  std::string name;
  std::function<void(const YamlNode& value, Problems& problems)> read;
  std::vector<std::string> elsewhere{};  ///< names that other programs use for it; refused with a
                                         ///< hint
  std::string formerly{};                ///< older name, which is also read; empty if there is none
};
/// Allows a file to give the key by its former name `name`, but not by both names.
KeyRule Formerly(std::string name, KeyRule rule);

KeyRule ReadBool(const std::string& name, Given<bool>& out);
KeyRule ReadText(const std::string& name, Given<std::string>& out);
KeyRule ReadNumber(const std::string& name, Given<double>& out, Range range);
KeyRule ReadInteger(const std::string& name, Given<std::int64_t>& out, Range range);
/// A non-empty list of different whole numbers.
KeyRule ReadIntegers(const std::string& name, Given<std::vector<std::int64_t>>& out, Range range);
/// A duration such as "90s", "15m" or "6h"; a bare number is seconds.
KeyRule ReadDuration(const std::string& name, Given<Duration>& out, Duration least,
                     Duration most = Duration::max());
KeyRule ReadTime(const std::string& name, Given<Time>& out);
/// A text that must be one of `choices`.
KeyRule ReadChoice(const std::string& name, Given<std::string>& out,
                   const std::vector<std::string>& choices);

/// The keys of another section, to say where a key in the wrong section belongs.
struct SectionKeys {
  std::string section;  ///< "" for the top level
  std::vector<std::string> keys;
};
SectionKeys KeysOf(std::string section, std::span<const KeyRule> rules);

/// Reads every entry of `map` by the rule of its name. A key without a value (null) counts as not
/// given. `section` is "" for the top level. `map` may be null, which is an empty section.
void ReadSection(const YamlNode& map, std::string_view section, std::span<const KeyRule> rules,
                 std::span<const SectionKeys> others, Problems& problems);

}  // namespace ebb::config
