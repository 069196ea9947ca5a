#pragma once
// Reads the fields of one JSON object by name and type. The first field that is missing or of
// another type is remembered as the error, so that a reader asks for all its fields and checks
// once. Nested objects share the error. Private to report/: the JSON library stays behind it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::report {

class JsonFields {
 public:
  /// Fails when `text` is not one JSON object; `where` is for messages.
  static Result<JsonFields> Parse(std::string_view text, std::string where);

  bool Has(std::string_view key) const;  ///< present and not null
  double Number(std::string_view key);   ///< null reads as NaN: JSON has no other way to say it
  std::int64_t Integer(std::string_view key);
  int Count(std::string_view key);  ///< an integer that fits an int
  std::string Text(std::string_view key);
  bool Flag(std::string_view key);
  Time Instant(std::string_view key);   ///< milliseconds since 1970 UTC
  Interval Span(std::string_view key);  ///< [begin_ms, end_ms]
  std::vector<std::string> Texts(std::string_view key);
  JsonFields Object(std::string_view key);

  std::optional<double> MaybeNumber(std::string_view key);
  std::optional<Time> MaybeInstant(std::string_view key);

  /// The enumerator named by a text field.
  template <typename FromName>
  auto Named(std::string_view key, FromName from_name) {
    const std::string name = Text(key);
    const auto value = from_name(name);
    if (!value && !name.empty()) Reject(key, "has the unknown value \"" + name + "\"");
    return value.value_or(typename decltype(value)::value_type{});
  }

  void Reject(std::string_view key, const std::string& why);
  /// The first thing that was wrong, if anything was.
  Status status() const;

 private:
  struct State;
  explicit JsonFields(std::shared_ptr<State> state, const void* object);
  const void* Find(std::string_view key, std::string_view type);
  std::shared_ptr<State> state_;
  const void* object_;  ///< nullptr once something was missing: every field then reads as empty
};

}  // namespace ebb::report
