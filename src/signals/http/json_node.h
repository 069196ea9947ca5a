#pragma once
// A JSON answer from elsewhere as plain values, with the library kept out of our headers. Bounded:
// deeper than 32 levels is refused, so no input can exhaust the stack. Pure.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace ebb::signals {

struct JsonMember;

struct JsonNode {
  enum class Type { kNull, kBool, kNumber, kText, kList, kObject };
  Type type = Type::kNull;
  bool boolean = false;
  double number = 0;
  std::string text;
  std::vector<JsonNode> items;
  std::vector<JsonMember> members;

  /// nullptr where this is no object or has no such member.
  const JsonNode* Find(std::string_view name) const;
  /// By JSON pointer (RFC 6901): "/data/0/value"; "" is the node itself.
  const JsonNode* At(std::string_view pointer) const;

  bool is_null() const { return type == Type::kNull; }
  bool is_list() const { return type == Type::kList; }
  bool is_object() const { return type == Type::kObject; }
  std::optional<double> AsNumber() const;
  std::optional<Time> AsTime() const;

  std::string TextOf(std::string_view member) const;  ///< "" where it is no text
  bool IsTrue(std::string_view member) const;
  std::optional<Time> TimeOf(std::string_view member) const;
};

struct JsonMember {
  std::string name;
  JsonNode value;
};

/// `where` is for messages.
Result<JsonNode> ParseJson(std::string_view body, const std::string& where);

/// A payload that is not what it should be: why, where, and how it begins.
Error BadAnswer(std::string why, std::string_view body, const std::string& where);

}  // namespace ebb::signals
