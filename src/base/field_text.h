#pragma once
// The codec of everything that Ebb stores for itself: values as JSON text and back, exactly, from
// one list of fields per type. Visit(archive, value), a function beside the type (core/fields.h,
// plan/fields.h, engine/fields.h), names every field once, for writing and for reading; with a
// structured binding over all members one that is forgotten does not compile. Names are stable:
// they stand in stores and files. A field that was renamed names its older key too: it is read, and
// never written.
//
// Doubles have the shortest form that reads back the same; enumerators are written by name, times
// and durations in milliseconds, energy in microjoules. Text that is not UTF-8 is replaced where it
// is not. FieldStyle says which fields a text has. The JSON library stays behind field_text.cc.

#include <concepts>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"

namespace ebb {

/// For a Visit function that serves both values and constant values.
template <typename T, typename U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

/// A dictionary from text to text.
using Texts = std::map<std::string, std::string>;

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;
template <typename T>
inline constexpr bool kIsVector = false;
template <typename T>
inline constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
inline constexpr bool kIsPair = false;
template <typename A, typename B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;

/// The number in a quantity that consists of one double.
inline auto& RawNumber(Power& power) { return power.watts; }
inline auto& RawNumber(Emissions& emissions) { return emissions.grams; }
inline auto& RawNumber(Intensity& intensity) { return intensity.g_per_kwh; }
inline auto& RawNumber(Pue& pue) { return pue.ratio; }
template <typename T>
concept Quantity = requires(T value) {
  RawNumber(value);
};

enum class FieldStyle {
  /// For stores. A field with its type's zero value is left out, and an absent field is read as
  /// zero.
  kCompact,
  /// For files that people and other programs read. Every field is present. An unknown optional
  /// field is null; a number that is not finite is null too, since JSON has no such numbers.
  /// Doubles keep their point. An absent field is an error, unless it is optional. Times end at the
  /// year 10000.
  kComplete,
};

/// Zero values are not written. A type whose zero is more than one number or text has a function of
/// this name beside it.
template <typename T>
bool IsZeroField(const T& value) {
  if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, Time> || std::is_same_v<T, Duration> ||
                std::is_same_v<T, Energy>) {
    return value == T{};
  } else if constexpr (kIsOptional<T>) {
    return !value;
  } else if constexpr (kIsVector<T> || std::is_same_v<T, Texts> || std::is_same_v<T, std::string>) {
    return value.empty();
  } else {
    return false;
  }
}

/// Writes the fields of one object.
class FieldWriter {
 public:
  explicit FieldWriter(FieldStyle style = FieldStyle::kCompact) : style_(style) {}
  bool complete() const { return style_ == FieldStyle::kComplete; }

  template <typename T>
  void operator()(std::string_view key, const T& value, std::string_view /*older_key*/ = {}) {
    if (complete() || !IsZeroField(value)) Must(key, value);
  }
  /// A field that is left out if it is zero, in either style.
  template <typename T>
  void Maybe(std::string_view key, const T& value) {
    if (!IsZeroField(value)) Must(key, value);
  }
  /// A text that is always the same.
  void Is(std::string_view key, std::string_view text) { Must(key, text); }
  /// A field for readers of a complete text. It follows from other fields and is not read back.
  template <typename T>
  void Note(std::string_view key, const T& value) {
    if (complete()) Must(key, value);
  }
  /// A field that only stores have, not complete texts.
  template <typename T>
  void InStores(std::string_view key, const T& value) {
    if (!complete()) Maybe(key, value);
  }
  /// Does nothing: values that are written are taken to be valid.
  void Fail(std::string_view) const {}
  /// A field that is always written.
  template <typename T>
  void Must(std::string_view key, const T& value) {
    Key(key);
    Put(value);
  }
  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      text_ += value ? "true" : "false";
    } else if constexpr (std::is_integral_v<T>) {
      text_ += std::to_string(value);
    } else if constexpr (std::is_same_v<T, double>) {
      Number(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      String(value);
    } else if constexpr (std::is_enum_v<T>) {
      String(Name(value));
    } else if constexpr (std::is_same_v<T, Time>) {
      Put(value.time_since_epoch().count());
    } else if constexpr (std::is_same_v<T, Duration>) {
      Put(value.count());
    } else if constexpr (std::is_same_v<T, Energy>) {
      Put(value.microjoules());
    } else if constexpr (Quantity<T>) {
      T copy = value;
      Number(RawNumber(copy));
    } else if constexpr (std::is_same_v<T, Interval>) {
      PutPair(value.begin, value.end);
    } else if constexpr (kIsOptional<T>) {
      value ? Put(*value) : void(text_ += "null");
    } else if constexpr (kIsPair<T>) {
      PutPair(value.first, value.second);
    } else if constexpr (kIsVector<T>) {
      PutList(value);
    } else if constexpr (std::is_same_v<T, Texts>) {
      PutTexts(value);
    } else {
      text_ += '{';
      Visit(*this, value);
      text_ += '}';
    }
  }
  /// For callers that write an object field by field.
  void BeginObject() { text_ += '{'; }
  void EndObject() { text_ += '}'; }
  /// A list of values of several types, one by one. A list that is a field begins with BeginField.
  void BeginField(std::string_view key) { Key(key); }
  void BeginList() { text_ += '['; }
  template <typename T>
  void Item(const T& value) {
    Separate('[');
    Put(value);
  }
  /// For callers that write an item that is itself a list.
  void BeginListItem() {
    Separate('[');
    BeginList();
  }
  void EndList() { text_ += ']'; }
  const std::string& text() const { return text_; }

 private:
  void Separate(char begin) {
    if (text_.back() != begin) text_ += ',';
  }
  void PutTexts(const Texts& texts) {
    text_ += '{';
    for (const auto& [key, value] : texts) {
      Separate('{');
      String(key);
      text_ += ':';
      String(value);
    }
    text_ += '}';
  }
  template <typename A, typename B>
  void PutPair(const A& first, const B& second) {
    text_ += '[';
    Put(first);
    text_ += ',';
    Put(second);
    text_ += ']';
  }
  template <typename T>
  void PutList(const std::vector<T>& list) {
    char separator = '[';
    for (const T& value : list) {
      text_ += std::exchange(separator, ',');
      Put(value);
    }
    text_ += list.empty() ? "[]" : "]";
  }
  void Key(std::string_view key);
  void Number(double value);
  void String(std::string_view value);

  FieldStyle style_;
  std::string text_;
};

/// Reads the fields of one object and remembers the first error.
class FieldReader {
 public:
  bool complete() const { return reading_->style == FieldStyle::kComplete; }
  /// A required field: an absent one is an error.
  template <typename T>
  void Must(std::string_view key, T& value) {
    const FieldReader field = Find(key);
    if (!field.node_) return Fail("has no \"" + std::string(key) + '"');
    field.Get(value);
    std::string& error = reading_->error;
    if (!error.empty() && error.back() != '"') error += ": \"" + std::string(key) + '"';
  }
  bool Has(std::string_view key) const { return Find(key).node_ != nullptr; }
  /// `older_key` is the name of the field in earlier versions. It is read but never written.
  template <typename T>
  void operator()(std::string_view key, T& value, std::string_view older_key = {}) {
    const bool is_older = !older_key.empty() && !Has(key) && Has(older_key);
    const std::string_view found = is_older ? older_key : key;
    complete() && !kIsOptional<T> ? Must(found, value) : Maybe(found, value);
  }
  template <typename T>
  void Maybe(std::string_view key, T& value) {
    const FieldReader field = Find(key);
    if (field.node_ && !field.IsNothing()) return Must(key, value);
    value = T{};
  }
  void Is(std::string_view key, std::string_view text) {
    std::string found;
    Must(key, found);
    if (found != text)
      Fail("\"" + std::string(key) + "\" is \"" + found + "\", not \"" + std::string(text) + '"');
  }
  template <typename T>
  void Note(std::string_view, const T&) {}
  template <typename T>
  void InStores(std::string_view key, T& value) {
    if (!complete()) Maybe(key, value);
  }
  template <typename T>
  void Get(T& value) const {
    if constexpr (std::is_same_v<T, bool>) {
      value = Flag();
    } else if constexpr (std::is_integral_v<T>) {
      constexpr bool wide = std::numeric_limits<T>::digits > 62;
      value = static_cast<T>(Integer(
          std::is_signed_v<T> ? static_cast<std::int64_t>(std::numeric_limits<T>::min()) : 0,
          wide ? kMost : static_cast<std::int64_t>(std::numeric_limits<T>::max())));
    } else if constexpr (std::is_same_v<T, double>) {
      value = Number();
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = String();
    } else if constexpr (std::is_enum_v<T>) {
      const std::string name = String();
      if (!FromName(*this, name, value)) Fail("has the unknown name " + name);
    } else if constexpr (std::is_same_v<T, Time>) {
      value = Time{Duration{complete() ? Integer(-kLatestMs, kLatestMs) : Whole()}};
    } else if constexpr (std::is_same_v<T, Duration>) {
      value = Duration{Whole()};
    } else if constexpr (std::is_same_v<T, Energy>) {
      value = Energy::Microjoules(Whole());
    } else if constexpr (Quantity<T>) {
      RawNumber(value) = Number();
    } else if constexpr (std::is_same_v<T, Interval>) {
      GetPair(value.begin, value.end);
    } else if constexpr (kIsOptional<T>) {
      IsNothing() ? value.reset() : Get(value.emplace());
    } else if constexpr (kIsPair<T>) {
      GetPair(value.first, value.second);
    } else if constexpr (kIsVector<T>) {
      value.resize(Size());
      for (std::size_t i = 0; i < value.size(); ++i) At(i).Get(value[i]);
    } else if constexpr (std::is_same_v<T, Texts>) {
      value = AllTexts();
    } else {
      if (!IsObject()) return Fail("is not an object");
      FieldReader self = *this;
      Visit(self, value);
    }
  }
  void Fail(std::string_view what) const {
    if (reading_->error.empty()) reading_->error = what;
  }
  /// A list of values of several types. An item beyond the end of the list is an error once it is
  /// read.
  bool IsList() const;
  bool IsObject() const;
  std::size_t Size() const;
  FieldReader At(std::size_t index) const;
  /// The list in this field; an empty list if the field is absent.
  FieldReader Field(std::string_view key) const { return Find(key); }

 private:
  friend class ParsedText;
  struct Reading {
    FieldStyle style;
    std::string error;
  };
  FieldReader(const void* node, Reading* reading) : node_(node), reading_(reading) {}
  template <typename A, typename B>
  void GetPair(A& first, B& second) const {
    if (Size() != 2) return Fail("is not a pair");
    At(0).Get(first);
    At(1).Get(second);
  }
  static constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kLatestMs = 253'402'300'800'000;  // the year 10000
  std::int64_t Whole() const { return Integer(-kMost - 1, kMost); }
  FieldReader Find(std::string_view key) const;
  bool IsNothing() const;  // true for null, if the style allows null
  bool Flag() const;
  std::int64_t Integer(std::int64_t least, std::int64_t most) const;
  double Number() const;
  std::string String() const;
  Texts AllTexts() const;

  const void* node_;  // nullptr if the field is absent
  Reading* reading_;
};

/// A parsed JSON text.
class ParsedText {
 public:
  explicit ParsedText(std::string_view text, FieldStyle style = FieldStyle::kCompact);
  ~ParsedText();
  ParsedText(const ParsedText&) = delete;
  ParsedText& operator=(const ParsedText&) = delete;
  FieldReader root();
  /// The first error; empty if there was none.
  const std::string& error() const { return reading_.error; }

 private:
  struct Node;
  std::unique_ptr<Node> node_;
  FieldReader::Reading reading_;
};

template <typename Enum>
bool TakeName(const std::optional<Enum>& found, Enum& value) {
  if (found) value = *found;
  return found.has_value();
}

/// A value of one of several types: the name of its type under `key` (names in the order of the
/// types), and the fields of that type beside it.
template <typename Archive, typename Names, typename Variant>
void VisitKinds(Archive& archive, std::string_view key, const Names& names, Variant& value) {
  static_assert(std::tuple_size_v<Names> == std::variant_size_v<std::remove_const_t<Variant>>);
  if constexpr (std::is_const_v<Variant>) {
    archive.Must(key, names[value.index()]);
  } else {
    std::string name;
    archive.Must(key, name);
    const bool known = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return ((names[I] == name && (value.template emplace<I>(), true)) || ...);
    }
    (std::make_index_sequence<std::variant_size_v<Variant>>());
    if (!known) return archive.Fail("has an unknown " + std::string(key) + ": " + name);
  }
  std::visit([&](auto& kind) { VisitKind(archive, kind); }, value);
}

/// The same JSON text over several lines, for files that people read.
std::string Indented(std::string_view text);

template <typename T>
std::string ToFieldText(const T& value, FieldStyle style = FieldStyle::kCompact) {
  FieldWriter writer(style);
  writer.Put(value);
  return writer.text();
}

/// Reads one value of this type. Anything else is an Error that says what is wrong; `where` is the
/// place in its message.
template <typename T>
Result<T> FromFieldText(std::string_view text, std::string where,
                        FieldStyle style = FieldStyle::kCompact) {
  ParsedText parsed(text, style);
  T value{};
  if (parsed.error().empty()) parsed.root().Get(value);
  if (parsed.error().empty()) return value;
  return ebb::Fail({ExitCode::kConfiguration, parsed.error(), std::move(where), ""});
}

}  // namespace ebb
