#include "base/field_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb {
namespace {

using Json = nlohmann::json;

const Json& NodeOf(const void* node) { return *static_cast<const Json*>(node); }

bool IsPlain(std::string_view text) {
  for (const char c : text)
    if (c < ' ' || c > '~' || c == '"' || c == '\\') return false;
  return true;
}

}  // namespace

void FieldWriter::Key(std::string_view key) {
  if (text_.back() != '{') text_ += ',';
  text_ += '"';
  text_ += key;
  text_ += "\":";
}

void FieldWriter::Number(double value) {
  if (complete()) {
    text_ += Json(value).dump();
    return;
  }
  // JSON has no infinity; a minus zero without a point would be read as the integer 0.
  if (std::isnan(value)) {
    text_ += "\"nan\"";
  } else if (std::isinf(value)) {
    text_ += value > 0 ? "\"inf\"" : "\"-inf\"";
  } else {
    text_ += value == 0 && std::signbit(value) ? "-0.0" : FormatExact(value);
  }
}

void FieldWriter::String(std::string_view value) {
  if (IsPlain(value)) {
    text_ += '"';
    text_ += value;
    text_ += '"';
  } else {
    text_ += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

struct ParsedText::Node {
  Json json;
};

ParsedText::ParsedText(std::string_view text, FieldStyle style)
    : node_(std::make_unique<Node>(Node{Json::parse(text, nullptr, false)})), reading_{style, ""} {
  if (node_->json.is_discarded()) reading_.error = "is not JSON";
}
ParsedText::~ParsedText() = default;
FieldReader ParsedText::root() { return {&node_->json, &reading_}; }

FieldReader FieldReader::Find(std::string_view key) const {
  if (!IsObject()) {
    Fail("is not an object");
    return {nullptr, reading_};
  }
  const auto it = NodeOf(node_).find(key);
  return {it == NodeOf(node_).end() ? nullptr : &*it, reading_};
}
FieldReader FieldReader::At(std::size_t index) const {
  if (IsList() && index < NodeOf(node_).size()) return {&NodeOf(node_)[index], reading_};
  Fail("is cut short");
  static const Json nothing;
  return {&nothing, reading_};
}
bool FieldReader::IsList() const { return node_ && NodeOf(node_).is_array(); }
bool FieldReader::IsObject() const { return node_ && NodeOf(node_).is_object(); }

std::size_t FieldReader::Size() const {
  if (!node_) return 0;
  if (IsList()) return NodeOf(node_).size();
  Fail("is not a list");
  return 0;
}

bool FieldReader::IsNothing() const { return complete() && NodeOf(node_).is_null(); }

bool FieldReader::Flag() const {
  if (NodeOf(node_).is_boolean()) return NodeOf(node_).get<bool>();
  Fail("is neither true nor false");
  return false;
}

std::int64_t FieldReader::Integer(std::int64_t least, std::int64_t most) const {
  const Json& json = NodeOf(node_);
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() ||
                     json.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
  const std::int64_t value = fits ? json.get<std::int64_t>() : 0;
  if (fits && least <= value && value <= most) return value;
  Fail("is not a whole number in range");
  return 0;
}

double FieldReader::Number() const {
  const Json& json = NodeOf(node_);
  if (json.is_number()) return json.get<double>();
  if (complete() ? json.is_null() : json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (!complete() && json == "inf") return std::numeric_limits<double>::infinity();
  if (!complete() && json == "-inf") return -std::numeric_limits<double>::infinity();
  Fail("is not a number");
  return 0;
}

Texts FieldReader::AllTexts() const {
  Texts texts;
  if (!IsObject()) {
    Fail("is not an object");
    return texts;
  }
  for (const auto& [key, value] : NodeOf(node_).items())
    texts[key] = FieldReader(&value, reading_).String();
  return texts;
}

std::string FieldReader::String() const {
  if (NodeOf(node_).is_string()) return NodeOf(node_).get<std::string>();
  Fail("is not text");
  return {};
}

std::string Indented(std::string_view text) {
  return nlohmann::ordered_json::parse(text).dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb
