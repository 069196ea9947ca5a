#pragma once
// Describes an object that people write, key by key: its type, range, default and meaning. Readers
// of JSON, YAML, flags and annotations take their rules from it, and help, OpenAPI and docs take
// their words from it, so that no two of them can disagree. Pure.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace ebb::core {

enum class Shape {
  kText,  ///< text of one line, without control characters
  kAbsolutePath,
  kNumber,
  kWhole,     ///< a whole number
  kFlag,      ///< true or false
  kDuration,  ///< "90m", or seconds
  kMoment,    ///< "2026-05-01T12:00Z", or a duration that counts from when the request is
              ///< accepted
  kChoice,    ///< one of a list of words
  kTexts,
  kTextsByName,   ///< an object of texts
  kJobs,          ///< a list of numbers of jobs, or of keys
  kTextOrNumber,  ///< a text, which may say more than a number
  kObject,
  kTextOrObject,  ///< an object by its name, or written out
  kObjects        ///< a list of objects
};

struct Definition;

/// How a command line gives the field.
struct FlagName {
  std::string name{};        ///< flag without dashes; empty: no flag gives the field
  std::string value_name{};  ///< the value in the help, "WATTS"; empty: the flag is a switch
  std::string also{};        ///< a second name of the flag; empty: none
};

struct Field {
  std::string key{};
  Shape shape = Shape::kText;
  std::string meaning{};       ///< meaning with its unit, without its default
  std::string default_text{};  ///< what holds without the field, for people; empty: not said
  std::string example{};       ///< example as JSON; empty for an object, whose definition has one
  bool required = false;
  /// Range of accepted numbers (kNumber, kWhole, kJobs). For kDuration, `low` is the shortest one
  /// in seconds.
  double low = 0, high = 0;
  std::vector<std::string> choices{};
  const Definition* definition = nullptr;  ///< definition of the objects
  std::string formerly{};                  ///< older name of the key, which is read too; empty:
                                           ///< none
  std::size_t longest = 0;                 ///< longest text, in characters; 0: the limit of its
                                           ///< shape
  FlagName flag{};
  std::string unit{};                    ///< unit of a number, for people: "g/kWh"
  std::vector<std::string> elsewhere{};  ///< names that other tools use; refused with an error that
                                         ///< names the key

  /// The meaning with its default: "how long it runs, by estimate (default 1h)".
  std::string Description() const { return AndDefault(meaning); }
  /// The meaning for the help of a flag, without its default: "latest start: 6h, 18:00, ...".
  std::string FlagMeaning() const {
    return meaning +
           (shape == Shape::kMoment ? ": 6h, 18:00, \"tomorrow 6am\", 2026-10-01T09:30Z" : "") +
           (flag.also.empty() ? "" : "; --" + flag.also + " is the same");
  }
  std::string FlagHelp() const { return AndDefault(FlagMeaning()); }

 private:
  std::string AndDefault(const std::string& text) const {
    return default_text.empty() ? text : text + " (default " + default_text + ")";
  }
};

/// A limit of a number as text for people: "1000000", "1e-09".
std::string LimitText(double limit);

/// A key that the object cannot hold although people have reason to give it.
struct KeyHint {
  std::string key;
  std::string next;  ///< what to do instead
};

struct Definition {
  std::string name;  ///< name of the object's schema in OpenAPI
  std::string meaning;
  std::string example;  ///< example as JSON
  std::vector<Field> fields;
  std::vector<KeyHint> hints{};

  /// The field with this key; nullptr if there is none.
  const Field* Find(std::string_view key) const {
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const Field& field) { return field.key == key; });
    return found == fields.end() ? nullptr : &*found;
  }
  /// The present name of a key. An unknown key is returned as it is.
  std::string PresentName(const std::string& key) const {
    for (const Field& field : fields)
      if (!field.formerly.empty() && field.formerly == key) return field.key;
    return key;
  }
  /// The field with this key, which must exist.
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
  // The kernel has this limit for a word of a command, or for a variable.
  if (field.shape == Shape::kTexts || field.shape == Shape::kTextsByName) return 131'071;
  return 200;
}
/// The most bytes that all texts of a list or an object may have together.
inline constexpr std::size_t kMostBytes = 1 << 20;

/// The longest duration that may be given as a number, in seconds.
inline constexpr double kMostSeconds = 1e9;

}  // namespace ebb::core
