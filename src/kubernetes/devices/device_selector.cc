#include "kubernetes/devices/device_selector.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/devices/plain_pattern.h"

namespace ebb::kubernetes {
namespace {

constexpr int kDeepest = 64;

// The value of an expression, or of a part of it. kMissing: the device has no such attribute, so a
// selector that requires it does not match.
struct Value {
  enum class Type { kUnknown, kMissing, kPlain, kList, kDevice, kAttributes, kCapacity };
  Type type = Type::kUnknown;
  DeviceValue plain{};
  std::vector<Value> items{};  // items of a list
  std::string domain{};        // of attributes and capacity, once it is named

  static Value Of(DeviceValue plain) { return {Type::kPlain, std::move(plain)}; }
  static Value Missing() { return {Type::kMissing}; }
  template <class T>
  const T* As() const {
    return type == Type::kPlain ? std::get_if<T>(&plain) : nullptr;
  }
  bool IsMissing() const { return type == Type::kMissing; }
};

// Combines two values that are unknown or missing.
Value Neither(const Value& a, const Value& b) {
  return a.IsMissing() || b.IsMissing() ? Value::Missing() : Value{};
}

// `decides`: the value of one side that decides the result, even if the other side is unknown.
Value Joined(const Value& a, const Value& b, bool decides) {
  const bool *left = a.As<bool>(), *right = b.As<bool>();
  if ((left && *left == decides) || (right && *right == decides)) return Value::Of(decides);
  if (left && right) return Value::Of(!decides);
  const bool may_be_true =
      decides && (a.type == Value::Type::kUnknown || b.type == Value::Type::kUnknown);
  return may_be_true ? Value{} : Neither(a, b);
}

Value Compared(const Value& a, const std::string& how, const Value& b) {
  if (a.type != Value::Type::kPlain || b.type != Value::Type::kPlain ||
      a.plain.index() != b.plain.index())
    return Neither(a, b);
  if (how == "==") return Value::Of(a.plain == b.plain);
  if (how == "!=") return Value::Of(a.plain != b.plain);
  if (how == "<") return Value::Of(a.plain < b.plain);
  if (how == "<=") return Value::Of(a.plain <= b.plain);
  if (how == ">") return Value::Of(a.plain > b.plain);
  return Value::Of(a.plain >= b.plain);
}

Value IsIn(const Value& item, const Value& list) {
  if (list.type != Value::Type::kList) return Neither(item, list);
  Value found = Value::Of(false);
  for (const Value& each : list.items) found = Joined(found, Compared(item, "==", each), true);
  return found;
}

Value OfText(const std::string& text, const std::string& method, const std::string& argument) {
  if (method == "startsWith") return Value::Of(text.starts_with(argument));
  if (method == "endsWith") return Value::Of(text.ends_with(argument));
  if (method == "contains") return Value::Of(text.find(argument) != std::string::npos);
  const auto found = method == "matches" ? IsFound(argument, text) : std::nullopt;
  return found ? Value::Of(*found) : Value{};
}

Value OfNumber(double number, const std::string& method, double argument) {
  if (method == "isGreaterThan") return Value::Of(number > argument);
  if (method == "isLessThan") return Value::Of(number < argument);
  if (method != "compareTo") return {};
  return Value::Of(number < argument ? -1.0 : number > argument ? 1.0 : 0.0);
}

std::string InCase(std::string text, int (*change)(int)) {
  for (char& letter : text) letter = static_cast<char>(change(static_cast<unsigned char>(letter)));
  return text;
}

Value Method(const Value& of, const std::string& name, const std::vector<Value>& arguments) {
  const auto* text = of.As<std::string>();
  if (arguments.empty() && text && name == "lowerAscii")
    return Value::Of(InCase(*text, std::tolower));
  if (arguments.empty() && text && name == "upperAscii")
    return Value::Of(InCase(*text, std::toupper));
  if (arguments.size() != 1) return of.IsMissing() ? of : Value{};
  const Value& argument = arguments.front();
  if (const auto* other = argument.As<std::string>(); text && other)
    return OfText(*text, name, *other);
  if (const auto* number = of.As<double>(), *other = argument.As<double>(); number && other)
    return OfNumber(*number, name, *other);
  return Neither(of, argument);
}

Value Function(const std::string& name, const std::vector<Value>& arguments) {
  if (arguments.size() != 1) return {};
  const Value& argument = arguments.front();
  const auto* text = argument.As<std::string>();
  if (name == "quantity" && text)
    if (const auto quantity = QuantityOf(*text)) return Value::Of(*quantity);
  if (name != "has" || argument.type == Value::Type::kUnknown) return {};
  return Value::Of(!argument.IsMissing());
}

// Evaluates while reading. An unreadable part makes the whole expression unknown.
class Reader {
 public:
  Reader(std::string_view text, const DeviceKind& kind) : text_(text), kind_(kind) {}

  Value Read() {
    Value value = Or();
    SkipBlanks();
    return failed_ || at_ != text_.size() ? Value{} : value;
  }

 private:
  void SkipBlanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Take(std::string_view token) {
    SkipBlanks();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void Expect(std::string_view token) { failed_ = failed_ || !Take(token); }
  static bool IsOfName(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
  }
  std::string Name() {
    SkipBlanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && IsOfName(text_[at_])) ++at_;
    failed_ = failed_ || at_ == begin;
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::vector<Value> List(std::string_view end) {
    std::vector<Value> items;
    if (Take(end)) return items;
    do items.push_back(Or());
    while (!failed_ && Take(","));
    Expect(end);
    return items;
  }

  Value Or() {
    if (++depth_ > kDeepest) failed_ = true;
    Value value = failed_ ? Value{} : And();
    while (!failed_ && Take("||")) value = Joined(value, And(), true);
    --depth_;
    return value;
  }
  Value And() {
    Value value = Relation();
    while (!failed_ && Take("&&")) value = Joined(value, Relation(), false);
    return value;
  }
  Value Relation() {
    const Value value = Unary();
    for (const char* how : {"==", "!=", "<=", ">=", "<", ">"})
      if (Take(how)) return Compared(value, how, Unary());
    SkipBlanks();
    const std::string_view rest = text_.substr(at_);
    const bool is_in = rest.starts_with("in") && rest.size() > 2 && !IsOfName(rest[2]);
    if (!is_in) return value;
    at_ += 2;
    return IsIn(value, Unary());
  }
  Value Unary() {
    bool negated = false;
    while (Take("!")) negated = !negated;
    const Value value = Postfix();
    const bool* truth = value.As<bool>();
    return negated && truth ? Value::Of(!*truth) : negated ? Neither(value, value) : value;
  }
  Value Postfix() {
    Value value = Primary();
    while (!failed_) {
      if (Take("[")) {
        const Value index = Or();
        Expect("]");
        const auto* name = index.As<std::string>();
        value = name ? Member(value, *name) : Value{};
      } else if (Take(".")) {
        const std::string name = Name();
        value = Take("(") ? Method(value, name, List(")")) : Member(value, name);
      } else {
        break;
      }
    }
    return value;
  }
  Value Primary() {
    if (Take("(")) {
      Value value = Or();
      Expect(")");
      return value;
    }
    if (Take("[")) return {Value::Type::kList, {}, List("]")};
    SkipBlanks();
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    if (first == '"' || first == '\'') return Text(first);
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '-') return Number();
    const std::string name = Name();
    if (name == "true" || name == "false") return Value::Of(name == "true");
    if (name == "device") return {Value::Type::kDevice};
    return Take("(") ? Function(name, List(")")) : Value{};
  }
  Value Text(char quote) {
    std::string text;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      text += text_[at_];
    }
    failed_ = failed_ || at_ >= text_.size();
    ++at_;
    return Value::Of(std::move(text));
  }
  Value Number() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && (IsOfName(text_[at_]) || text_[at_] == '.')) ++at_;
    const auto number = ParseNumber(text_.substr(begin, at_ - begin));
    failed_ = failed_ || !number;
    return Value::Of(number.value_or(0));
  }

  Value Member(const Value& of, const std::string& name) const {
    if (of.IsMissing()) return of;
    if (of.type == Value::Type::kDevice) {
      if (name == "driver") return Value::Of(kind_.driver);
      if (name == "attributes") return {Value::Type::kAttributes};
      return name == "capacity" ? Value{Value::Type::kCapacity} : Value{};
    }
    const bool has_attributes = of.type == Value::Type::kAttributes;
    if (!has_attributes && of.type != Value::Type::kCapacity) return {};
    if (of.domain.empty()) return {of.type, {}, {}, name};
    const std::string key = of.domain + "/" + name;
    if (!has_attributes) {
      const auto found = kind_.capacity.find(key);
      return found == kind_.capacity.end() ? Value::Missing() : Value::Of(found->second);
    }
    if (IsOfOneDevice(name)) return {};
    const auto found = kind_.attributes.find(key);
    return found == kind_.attributes.end() ? Value::Missing() : Value::Of(found->second);
  }

  std::string_view text_;
  const DeviceKind& kind_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

bool IsOfOneDevice(std::string_view attribute) {
  constexpr std::array<std::string_view, 11> kNames{
      "uuid",        "index",       "minor",  "pcibusid", "pcieroot",  "parentuuid",
      "parentindex", "parentminor", "serial", "numanode", "pciaddress"};
  const std::string name =
      InCase(std::string(attribute.substr(attribute.rfind('/') + 1)), std::tolower);
  return std::ranges::count(kNames, name) > 0;
}

Match Matches(const std::string& expression, const DeviceKind& kind) {
  const Value value = Reader(expression, kind).Read();
  if (value.IsMissing()) return Match::kNo;
  const bool* truth = value.As<bool>();
  return !truth ? Match::kUnknown : *truth ? Match::kYes : Match::kNo;
}

}  // namespace ebb::kubernetes
