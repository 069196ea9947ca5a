#pragma once
// The one reader of JSON from other programs (providers, trackers, services). It gives plain values
// and keeps the JSON library out of our headers. A request for a member that is absent, or of
// another type, returns nothing. Input nested deeper than 32 levels is refused, so no input can
// exhaust the stack. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb {

struct JsonMember;

struct JsonNode {
  enum class Type { kNull, kBool, kNumber, kText, kList, kObject };
  Type type = Type::kNull;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;

  /// The member of that name; nullptr if the node is not an object or has no such member.
  const JsonNode* Find(std::string_view name) const;
  /// The node at a JSON pointer (RFC 6901): "/data/0/value"; "" is the node itself.
  const JsonNode* At(std::string_view pointer) const;

  bool is_null() const { return type == Type::kNull; }
  bool is_list() const { return type == Type::kList; }
  bool is_object() const { return type == Type::kObject; }
  std::optional<double> AsNumber() const;
  std::optional<std::string> AsText() const;
  std::optional<Time> AsTime() const;

  std::string TextOf(std::string_view member) const;  ///< "" if the member is not a text
  bool IsTrue(std::string_view member) const;
  std::optional<Time> TimeOf(std::string_view member) const;
};

struct JsonMember {
  std::string name;
  JsonNode value;
};

/// Parses one JSON text. `where` is its source, for messages.
Result<JsonNode> ParseJson(std::string_view body, const std::string& where);

/// The Error for an unexpected answer: why it is wrong, where it came from, and how it begins.
Error BadAnswer(std::string why, std::string_view body, const std::string& where);

}  // namespace ebb
