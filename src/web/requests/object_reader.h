#pragma once
// Reads a JSON object by its definition. A value of another type or beyond its limits, an unknown
// key and a missing key are refused by name. Private to this room: values are those of the JSON
// library, which stays out of headers.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/text.h"
#include "base/time.h"
#include "core/options/definition.h"
#include "core/options/job_options.h"

namespace ebb::web {

using core::Definition;
using core::Field;
using core::Shape;

/// Thrown by readers and caught by the function that began to read; no other function sees it.
struct Refused {
  Error error;  ///< `where` is the key: "budget.action"
};
[[noreturn]] void Refuse(const std::string& where, std::string what, std::string next = "");

/// Points to a nlohmann::ordered_json.
using JsonNode = const void*;

class ObjectReader {
 public:
  /// Refuses a value that is not an object, an unknown key (with a hint or suggestion), and a
  /// missing key. `section`: the key that holds the object; empty for the whole document. `json`
  /// and `definition` must outlive the reader.
  ObjectReader(JsonNode json, const Definition& definition, std::string section = "");

  bool Has(std::string_view key) const { return Find(key) != nullptr; }
  /// The value of a key; nullopt if the key is left out. The definition must have the shape that is
  /// asked for.
  std::optional<std::string> Text(std::string_view key) const;
  std::optional<double> Number(std::string_view key) const;
  std::optional<int> Whole(std::string_view key) const;
  std::optional<bool> Flag(std::string_view key) const;
  std::optional<Duration> Span(std::string_view key) const;
  /// A time, or a duration from the time at which the submission is accepted.
  std::optional<std::variant<Time, Duration>> Moment(std::string_view key) const;
  std::optional<std::vector<std::string>> Texts(std::string_view key) const;
  std::vector<std::pair<std::string, std::string>> TextsByName(std::string_view key) const;
  /// A text; a number is taken as it is written.
  std::optional<std::string> TextOrNumber(std::string_view key) const;
  /// For the shape kJobs: passes each item to one of the two functions.
  template <typename TakeNumber, typename TakeText>
  void Jobs(std::string_view key, TakeNumber take_number, TakeText take_text) const;
  /// A value that `from_name` knows. `names` replaces the names in the definition.
  template <typename FromName>
  auto Choice(std::string_view key, FromName from_name, const std::vector<std::string>& names) const
      -> decltype(from_name(""));
  template <typename FromName>
  auto Choice(std::string_view key, FromName from_name) const {
    return Choice(key, from_name, definition_.Of(key).choices);
  }
  /// The value of a job option, by its shape.
  std::optional<core::OptionValue> Value(const Field& field) const;
  /// Nullopt if the key is left out, or has a text and the definition allows one.
  std::optional<ObjectReader> Object(std::string_view key) const;
  /// The list of a required key.
  std::vector<JsonNode> Objects(std::string_view key) const;
  [[noreturn]] void RefuseKey(std::string_view key, std::string what, std::string next = "") const;

 private:
  [[noreturn]] void RefuseUnknown(const std::string& key) const;
  JsonNode Find(std::string_view key) const;
  std::string Where(std::string_view key) const;
  /// Empty if the key is left out.
  std::vector<JsonNode> List(std::string_view key, const char* must) const;
  static bool IsText(JsonNode json);
  std::string TextOf(JsonNode json, std::string_view key) const;
  void CheckLength(std::string_view text, std::string_view key) const;
  void CheckBytes(std::size_t bytes, std::string_view key) const;
  std::optional<std::string> OneOf(std::string_view key,
                                   const std::vector<std::string>& names) const;
  int WholeOf(JsonNode json, const Field& field) const;
  double NumberOf(JsonNode json, const Field& field) const;

  JsonNode json_;
  const Definition& definition_;
  std::string section_;
};

template <typename TakeNumber, typename TakeText>
void ObjectReader::Jobs(std::string_view key, TakeNumber take_number, TakeText take_text) const {
  for (const JsonNode entry :
       List(key, "must be a list of job numbers, or of keys of earlier submissions")) {
    if (IsText(entry))
      take_text(TextOf(entry, key));
    else
      take_number(WholeOf(entry, definition_.Of(key)));
  }
}

template <typename FromName>
auto ObjectReader::Choice(std::string_view key, FromName from_name,
                          const std::vector<std::string>& names) const -> decltype(from_name("")) {
  const auto name = Text(key);
  if (!name) return {};
  auto value = from_name(*name);
  if (!value)
    RefuseKey(key, "\"" + *name + "\" is not known" + SuggestionText(*name, names),
              "choose one of " + Join(names, ", "));
  return value;
}

}  // namespace ebb::web
