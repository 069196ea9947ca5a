#include "train/text/template/jinja_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train::jinja {
namespace {

constexpr std::size_t kMaxLevels = 64;

// Formats as Python does: the shortest text that reads back, with a point or an exponent.
std::string FloatText(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[40];
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(text, text + sizeof text, value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string result(text, end);
  if (plain && result.find('.') == result.npos) result += ".0";
  return result;
}

std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string PythonText(const std::string& text) {
  const char quote = text.find('\'') != text.npos && text.find('"') == text.npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      if (c == '\\' || c == quote) result += '\\';
      result += c;
    }
  }
  return result + quote;
}

// Builds a value from the events of the JSON library, which does not recurse.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return Put(None{}); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(std::int64_t value) override { return Put(value); }
  bool number_unsigned(std::uint64_t value) override {
    return value > INT64_MAX ? Put(static_cast<double>(value))
                             : Put(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string&) override { return Put(value); }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Value(Dict{})); }
  bool key(std::string& key) override {
    key_ = std::move(key);
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Value(List{})); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception&) override {
    return false;
  }

  Value root;

 private:
  bool Put(Value value) {
    if (open_.empty()) {
      root = std::move(value);
    } else if (Dict* dict = open_.back().dict()) {
      dict->emplace_back(std::move(key_), std::move(value));
    } else {
      open_.back().list()->push_back(std::move(value));
    }
    return true;
  }
  bool Open(Value value) {
    if (open_.size() == kMaxLevels) return false;
    Put(value);  // a copy shares what is filled in later
    open_.push_back(std::move(value));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  std::vector<Value> open_;
  std::string key_;
};

}  // namespace

double Value::AsFloat() const {
  if (const double* value = std::get_if<double>(&data_)) return *value;
  return static_cast<double>(AsInteger());
}

std::int64_t Value::AsInteger() const {
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return *value;
  if (const bool* value = std::get_if<bool>(&data_)) return *value ? 1 : 0;
  return 0;
}

bool Value::IsTrue() const {
  if (is_undefined() || is_none()) return false;
  if (is_number()) return AsFloat() != 0;
  return Length().value_or(0) > 0;
}

std::string Value::Printed() const {
  if (is_undefined()) return "";
  return text() != nullptr ? *text() : Represented();
}

std::string Value::Represented() const {
  if (is_undefined()) return "Undefined";
  if (is_none()) return "None";
  if (is_bool()) return AsInteger() != 0 ? "True" : "False";
  if (is_integer()) return std::to_string(AsInteger());
  if (is_float()) return FloatText(AsFloat());
  if (text() != nullptr) return PythonText(*text());
  std::vector<std::string> parts;
  if (const List* items = list()) {
    for (const Value& item : *items) parts.push_back(item.Represented());
    return "[" + Join(parts, ", ") + "]";
  }
  for (const auto& [key, value] : *dict())
    parts.push_back(PythonText(key) + ": " + value.Represented());
  return "{" + Join(parts, ", ") + "}";
}

std::string Value::Json(int indent, int depth) const {
  if (is_undefined() || is_none()) return "null";
  if (is_bool()) return AsInteger() != 0 ? "true" : "false";
  if (is_integer()) return std::to_string(AsInteger());
  if (is_float()) {
    const double value = AsFloat();
    if (std::isnan(value)) return "NaN";
    return std::isinf(value) ? (value > 0 ? "Infinity" : "-Infinity") : FloatText(value);
  }
  if (text() != nullptr) return JsonText(*text());
  std::vector<std::string> parts;
  if (const List* items = list()) {
    for (const Value& item : *items) parts.push_back(item.Json(indent, depth + 1));
  } else {
    for (const auto& [key, value] : *dict())
      parts.push_back(JsonText(key) + ": " + value.Json(indent, depth + 1));
  }
  const bool is_list = list() != nullptr;
  const auto line = [&](int level) {
    return indent < 0 ? std::string()
                      : "\n" + std::string(static_cast<std::size_t>(indent * level), ' ');
  };
  const std::string inside =
      parts.empty()
          ? ""
          : line(depth + 1) + Join(parts, indent < 0 ? ", " : "," + line(depth + 1)) + line(depth);
  return (is_list ? "[" : "{") + inside + (is_list ? "]" : "}");
}

bool Value::Equals(const Value& other) const {
  if (is_number() && other.is_number())
    return is_float() || other.is_float() ? AsFloat() == other.AsFloat()
                                          : AsInteger() == other.AsInteger();
  if (data_.index() != other.data_.index()) return false;
  if (text() != nullptr) return *text() == *other.text();
  if (const List* items = list())
    return std::equal(items->begin(), items->end(), other.list()->begin(), other.list()->end(),
                      [](const Value& a, const Value& b) { return a.Equals(b); });
  if (const Dict* members = dict()) {
    if (members->size() != other.dict()->size()) return false;
    return std::all_of(members->begin(), members->end(), [&](const auto& member) {
      return member.second.Equals(other.At(member.first));
    });
  }
  return true;
}

Value Value::At(std::string_view key) const {
  if (const Dict* members = dict()) {
    const auto found = std::find_if(members->rbegin(), members->rend(),
                                    [&](const auto& member) { return member.first == key; });
    if (found != members->rend()) return found->second;
  }
  return {};
}

std::optional<std::size_t> Value::Length() const {
  if (const std::string* held = text()) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < held->size(); ++count) TakeCodePoint(*held, at);
    return count;
  }
  if (const List* items = list()) return items->size();
  if (const Dict* members = dict()) return members->size();
  return std::nullopt;
}

std::optional<List> Value::Items() const {
  if (const List* items = list()) return *items;
  List result;
  if (is_undefined()) return result;
  if (const Dict* members = dict()) {
    for (const auto& member : *members) result.emplace_back(member.first);
    return result;
  }
  const std::string* held = text();
  if (held == nullptr) return std::nullopt;
  for (std::size_t at = 0; at < held->size();) {
    const std::size_t begin = at;
    TakeCodePoint(*held, at);
    result.emplace_back(held->substr(begin, at - begin));
  }
  return result;
}

Result<Value> ParseJsonValue(std::string_view text) {
  Builder builder;
  if (!nlohmann::json::sax_parse(text, &builder))
    return Fail({ExitCode::kConfiguration, "it is not JSON of at most 64 levels", "", ""});
  return std::move(builder.root);
}

}  // namespace ebb::train::jinja
