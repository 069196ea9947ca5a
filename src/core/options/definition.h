#pragma once
// Describes an object that people write, key by key: its type, range, default and meaning. Readers
// of JSON, YAML, flags and annotations take their rules from it, and help, OpenAPI and docs their
// words, so that no two of them can disagree. Pure.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace ebb::core {

enum class Shape {
  kText,  ///< of one line, without control characters
  kAbsolutePath,
  kNumber,
  kWhole,         ///< a whole number
  kFlag,          ///< true or false
  kDuration,      ///< "90m", or seconds
  kMoment,        ///< "2026-05-01T12:00Z", or a duration from when it is taken
  kChoice,        ///< one of some words
  kTexts,         ///< a list
  kTextsByName,   ///< an object of texts
  kJobs,          ///< a list of numbers of jobs, or of keys
  kTextOrNumber,  ///< the text may say more
  kObject,
  kTextOrObject,  ///< something by its name, or spelt out
  kObjects        ///< a list
};

struct Definition;

/// How a command line gives the field.
struct FlagName {
  std::string name{};        ///< without dashes; empty: no flag gives the field
  std::string value_name{};  ///< "WATTS"; empty: a switch
  std::string also{};        ///< a second name of the flag; empty: none
};

struct Field {
  std::string key{};
  Shape shape = Shape::kText;
  std::string meaning{};       ///< with its unit, without its default
  std::string default_text{};  ///< what holds without the field, for people; empty: not said
  std::string example{};       ///< as JSON; of an object: that of its definition
  bool required = false;
  /// The accepted numbers of kNumber, kWhole and kJobs; of kDuration `low` is the shortest one in
  /// seconds.
  double low = 0, high = 0;
  std::vector<std::string> choices{};
  const Definition* definition = nullptr;  ///< of the objects
  std::string formerly{};                  ///< its older name, which is read too; empty: none
  std::size_t longest = 0;                 ///< of a text, in characters; 0: as its shape has it
  FlagName flag{};
  std::string unit{};                    ///< of a number, for people: "g/kWh"
  std::vector<std::string> elsewhere{};  ///< what others call it; refused, with its key named

  /// "how long it runs, by estimate (default 1h)"
  std::string Description() const {
    return default_text.empty() ? meaning : meaning + " (default " + default_text + ")";
  }
};

/// A limit of a number for people: "1000000", "1e-09".
std::string LimitText(double limit);

/// A key that it cannot hold though people have reason to give it.
struct KeyHint {
  std::string key;
  std::string next;  ///< what to do in its place
};

struct Definition {
  std::string name;  ///< of its schema in OpenAPI
  std::string meaning;
  std::string example;  ///< as JSON
  std::vector<Field> fields;
  std::vector<KeyHint> hints{};

  /// nullptr: it holds none of this name.
  const Field* Find(std::string_view key) const {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& field) { return field.key == key; });
    return found == fields.end() ? nullptr : &*found;
  }
  /// The present name of a key; of one that it does not know, the key itself.
  std::string PresentName(const std::string& key) const {
    for (const Field& field : fields)
      if (!field.formerly.empty() && field.formerly == key) return field.key;
    return key;
  }
  /// It must be there.
  const Field& Of(std::string_view key) const {
    const Field* found = Find(key);
    EBB_CHECK(found);
    return *found;
  }
};

/// The longest list of words, and the most variables, that one job may have.
inline constexpr std::size_t kMostWords = 4096;
/// The most jobs of one request.
inline constexpr std::size_t kMostJobs = 10'000;
/// The longest text that a field may hold, in characters; of a list or an object, each of its
/// texts.
inline std::size_t LongestText(const Field& field) {
  if (field.longest > 0) return field.longest;
  if (field.shape == Shape::kAbsolutePath) return 4096;
  // As the kernel has it of a word of a command, or a variable.
  if (field.shape == Shape::kTexts || field.shape == Shape::kTextsByName) return 131'071;
  return 200;
}
/// All texts of a list or an object together, in bytes.
inline constexpr std::size_t kMostBytes = 1 << 20;

/// The longest duration that is given as a number.
inline constexpr double kMostSeconds = 1e9;

}  // namespace ebb::core
