#pragma once
// JSON objects with a description of each key at the place where the key is written. A type that is
// an object has `void Describe(DescribedJson&) const`, with a line for each key: its name, its
// meaning and its value. Describe writes the object. Run on a T{}, it makes the schema (OpenAPI
// 3.0) instead, in which the type of each value gives the type of the key. So no key may depend on
// an `if`. A key whose value is an empty optional or pointer is left out.
//
// Energy is in kWh, emissions in g, power in W, durations in seconds, times in UTC. The JSON
// library stays behind described_json.cc.

#include <ranges>

#include "base/field_text.h"

namespace ebb::report {

/// A key that is always present: null if the value is unknown.
template <typename T>
struct OrNull {
  std::optional<T> or_null;
};
template <typename T>
OrNull(std::optional<T>) -> OrNull<T>;
/// An enumerator. The schema lists the names from the first enumerator to kLast.
template <auto kLastOne>
struct UpTo {
  static constexpr auto kLast = kLastOne;
  decltype(kLastOne) value{};
};
/// A pointer to the list or text; nullptr if it is empty.
template <typename List>
const List* IfAny(const List& list) {
  return list.empty() ? nullptr : &list;
}
template <typename T>
std::optional<T> If(bool condition, T value) {
  return condition ? std::optional(std::move(value)) : std::nullopt;
}

/// Schemas of objects, as JSON, by name.
using Schemas = std::map<std::string, std::string>;
/// The value of "$ref" that refers to the schema `name` in the document.
std::string PlaceOfSchema(const std::string& name);

class DescribedJson {
 public:
  /// With `schemas` it describes the object, and adds the schemas of the objects in it. Without, it
  /// writes the object.
  explicit DescribedJson(Schemas* schemas = nullptr) : schemas_(schemas) {}

  /// Name and meaning of the object, for the schemas.
  DescribedJson& Is(std::string_view name, std::string_view words);
  /// One key. The words may be left out if another form of the object has them.
  template <typename V>
  DescribedJson& operator()(std::string_view key, std::string_view words, const V& value) {
    constexpr bool kMaybe = kIsOptional<V> || std::is_pointer_v<V>;
    if (schemas_) {
      AddKey(key, words, DescribedJson(schemas_).Text(value), !kMaybe);
      return *this;
    }
    if constexpr (kMaybe)
      if (!value) return *this;
    Separate();
    Put(key);
    text_ += ':';
    Put(value);
    return *this;
  }
  /// Begins another form of the object. Keys that all forms have are always present.
  template <typename Form>
  void AlsoAs(Form form) {
    if (!schemas_) return;
    ++forms_;
    form();
  }
  /// The value on one line, or its schema.
  template <typename V>
  std::string Text(const V& value) && {
    Put(value);
    return std::move(text_);
  }

 private:
  template <typename V>
  void Put(const V& value) {
    if constexpr (std::same_as<V, bool>) {
      PutPlain("boolean", value ? "true" : "false");
    } else if constexpr (std::integral<V>) {
      PutPlain("integer", std::to_string(value));
    } else if constexpr (std::floating_point<V>) {
      PutNumber(value);
    } else if constexpr (std::same_as<V, Energy>) {
      PutNumber(value.kwh());
    } else if constexpr (Quantity<V>) {
      V copy = value;
      PutNumber(RawNumber(copy));
    } else if constexpr (std::same_as<V, Duration>) {
      PutNumber(Seconds(value));
    } else if constexpr (std::same_as<V, Time>) {
      PutPlain(R"(string","format":"date-time)", '"' + FormatTime(value) + '"');
    } else if constexpr (std::convertible_to<const V&, std::string_view>) {
      PutText(value);
    } else if constexpr (std::is_enum_v<V>) {
      PutText(Name(value));
    } else if constexpr (requires { V::kLast; }) {
      if (!schemas_) return Put(value.value);
      text_ += R"({"type":"string","enum":[)";
      for (int i = 0; i <= static_cast<int>(V::kLast); ++i)
        (text_ += i > 0 ? ",\"" : "\"").append(Name(static_cast<decltype(V::value)>(i))) += '"';
      text_ += "]}";
    } else if constexpr (kIsOptional<V> || std::is_pointer_v<V>) {
      if (schemas_) return Put(std::remove_cvref_t<decltype(*value)>{});
      Put(*value);
    } else if constexpr (requires { value.or_null; }) {
      if (!schemas_ && !value.or_null) return void(text_ += "null");
      Put(value.or_null);
      if (schemas_) MakeNullable();
    } else if constexpr (kIsPair<V>) {
      if (!schemas_) {
        PutText(value.first);
        text_ += ':';
      }
      Put(value.second);
    } else if constexpr (requires { std::variant_size<V>::value; }) {
      PutOneOf(value);
    } else if constexpr (std::ranges::range<V>) {
      PutRange(value);
    } else {
      PutObject(value);
    }
  }
  template <typename... Ts>
  void PutOneOf(const std::variant<Ts...>& one) {
    if (!schemas_) return std::visit([this](const auto& value) { this->Put(value); }, one);
    text_ += R"({"oneOf":[)";
    ((Separate(), Put(Ts{})), ...);
    text_ += "]}";
  }
  // Writes a list, or an object of values by name.
  template <typename Range>
  void PutRange(const Range& range) {
    using T = std::ranges::range_value_t<Range>;
    if (schemas_) {
      text_ += kIsPair<T> ? R"({"type":"object","additionalProperties":)"
                          : R"({"type":"array","items":)";
      Put(T{});
    } else {
      text_ += kIsPair<T> ? '{' : '[';
      for (const T& value : range) (Separate(), Put(value));
    }
    text_ += schemas_ || kIsPair<T> ? '}' : ']';
  }
  template <typename T>
  void PutObject(const T& object) {
    if (!schemas_) {
      text_ += '{';
      object.Describe(*this);
      text_ += '}';
    } else {
      DescribedJson described(schemas_);
      object.Describe(described);
      text_ += described.RefToSchema();
    }
  }
  void Separate() {
    if (text_.back() != '{' && text_.back() != '[') text_ += ',';
  }
  void PutPlain(std::string_view type, std::string_view text) {
    schemas_ ? ((text_ += R"({"type":")").append(type) += "\"}") : (text_ += text);
  }
  void PutNumber(double value);
  void PutText(std::string_view value);
  void MakeNullable();
  void AddKey(std::string_view key, std::string_view words, std::string schema, bool always);
  std::string RefToSchema();

  struct Key {
    std::string name, words, schema;
    int in_forms;  // the number of forms in which the key is always present
  };
  Schemas* schemas_;
  std::string text_;  // JSON: the value, or its schema
  // Name and meaning of the object, for its schema.
  std::string name_, words_;
  std::vector<Key> keys_;
  int forms_ = 1;
};

/// The value as JSON on one line, without the end of the line.
template <typename T>
std::string ToJson(const T& object) {
  return DescribedJson().Text(object);
}
/// The schema as JSON. `all` collects the schemas to which it refers.
template <typename T>
std::string SchemaOf(Schemas& all) {
  return DescribedJson(&all).Text(T{});
}

}  // namespace ebb::report
