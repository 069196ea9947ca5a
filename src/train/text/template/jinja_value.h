#pragma once
// Values of Jinja templates: Python's None, bool, int, float, str, list and dict, printed as Python
// prints them. Copies of lists and dicts share their content. Pure.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace ebb::train::jinja {

struct Undefined {};
struct None {};
class Value;
using List = std::vector<Value>;
/// Members in order of insertion; of equal keys the last counts.
using Dict = std::vector<std::pair<std::string, Value>>;

class Value {
 public:
  Value() : data_(Undefined{}) {}
  Value(None none) : data_(none) {}
  Value(bool value) : data_(value) {}
  Value(std::int64_t value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(std::string value) : data_(std::move(value)) {}
  Value(const char* value) : data_(std::string(value)) {}
  Value(List value) : data_(std::make_shared<List>(std::move(value))) {}
  Value(Dict value) : data_(std::make_shared<Dict>(std::move(value))) {}

  bool is_undefined() const { return std::holds_alternative<Undefined>(data_); }
  bool is_none() const { return std::holds_alternative<None>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_float() const { return std::holds_alternative<double>(data_); }
  bool is_number() const { return is_bool() || is_integer() || is_float(); }
  const std::string* text() const { return std::get_if<std::string>(&data_); }
  /// nullptr if the value is not a list. Templates may change lists and dicts through these
  /// pointers (namespace).
  List* list() const { return Pointer<List>(); }
  Dict* dict() const { return Pointer<Dict>(); }

  /// The number of a bool, integer or float; 0 for anything else.
  double AsFloat() const;
  std::int64_t AsInteger() const;

  bool IsTrue() const;
  /// Text as by Python's str() and repr().
  std::string Printed() const;
  std::string Represented() const;
  /// JSON as by json.dumps(ensure_ascii=False), in several lines if `indent` is not negative.
  std::string Json(int indent, int depth = 0) const;

  bool Equals(const Value& other) const;
  /// The member of a dict by key; undefined if there is none.
  Value At(std::string_view key) const;
  /// The number of characters, items or members; nothing for values without a length.
  std::optional<std::size_t> Length() const;
  /// The values of a loop: items, keys, characters; nothing if the value cannot be iterated.
  std::optional<List> Items() const;

 private:
  template <typename Held>
  Held* Pointer() const {
    const auto* held = std::get_if<std::shared_ptr<Held>>(&data_);
    return held == nullptr ? nullptr : held->get();
  }

  std::variant<Undefined, None, bool, std::int64_t, double, std::string, std::shared_ptr<List>,
               std::shared_ptr<Dict>>
      data_;
};

/// Parses JSON, with members in their order; at most 64 levels. Errors have no `where`.
Result<Value> ParseJsonValue(std::string_view text);

}  // namespace ebb::train::jinja
