#include "web/requests/object_reader.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

const Json& Of(JsonNode node) { return *static_cast<const Json*>(node); }

}  // namespace

void Refuse(const std::string& where, std::string what, std::string next) {
  throw Refused{{ExitCode::kUsage, std::move(what), where, std::move(next)}};
}

ObjectReader::ObjectReader(JsonNode node, const Definition& definition, std::string section)
    : json_(node), definition_(definition), section_(std::move(section)) {
  const Json& json = Of(node);
  if (!json.is_object()) Refuse(section_, "must be an object");
  for (const auto& [key, value] : json.items()) {
    const std::string present = definition.PresentName(key);
    if (!definition.Find(present)) RefuseUnknown(key);
    if (key != present && json.contains(present))
      RefuseKey(key, "is the same key as " + present, "leave out " + key);
  }
  for (const Field& field : definition.fields)
    if (field.required && !Has(field.key))
      RefuseKey(field.key, "is missing", "give " + field.meaning);
}

std::string ObjectReader::Where(std::string_view key) const {
  return section_.empty() ? std::string(key) : section_ + "." + std::string(key);
}

void ObjectReader::RefuseKey(std::string_view key, std::string what, std::string next) const {
  Refuse(Where(key), std::move(what), std::move(next));
}

void ObjectReader::RefuseUnknown(const std::string& key) const {
  for (const core::KeyHint& hint : definition_.hints)
    if (hint.key == key) RefuseKey(key, "is not known", hint.next);
  std::vector<std::string> known;
  for (const Field& field : definition_.fields) {
    if (std::ranges::count(field.elsewhere, key) > 0)
      RefuseKey(key, "is not known", "write " + field.key + ": " + field.meaning);
    known.push_back(field.key);
  }
  RefuseKey(key, "is not known" + SuggestionText(key, known));
}

JsonNode ObjectReader::Find(std::string_view key) const {
  const Field& field = definition_.Of(key);  // checks that the key is in the definition
  const Json& json = Of(json_);
  auto found = json.find(key);
  if (found == json.end() && !field.formerly.empty()) found = json.find(field.formerly);
  return found == json.end() ? nullptr : &*found;
}

std::string ObjectReader::TextOf(JsonNode node, std::string_view key) const {
  const Json& json = Of(node);
  if (!json.is_string()) RefuseKey(key, "must be a text");
  std::string text = json;
  if (text.find('\0') != std::string::npos) RefuseKey(key, "holds a zero byte");
  CheckLength(text, key);
  return text;
}

void ObjectReader::CheckLength(std::string_view text, std::string_view key) const {
  const std::size_t longest = LongestText(definition_.Of(key));
  if (text.size() <= longest) return;
  const auto characters =
      static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
      }));
  if (characters > longest)
    RefuseKey(key, "has " + std::to_string(characters) + " characters, and may have " +
                       std::to_string(longest));
}

void ObjectReader::CheckBytes(std::size_t bytes, std::string_view key) const {
  if (bytes > core::kMostBytes)
    RefuseKey(key, "is longer than " + std::to_string(core::kMostBytes) + " bytes altogether",
              "put what is long into a file, and name the file");
}

double ObjectReader::NumberOf(JsonNode node, const Field& field) const {
  const Json& json = Of(node);
  if (!json.is_number()) RefuseKey(field.key, "must be a number");
  const double number = json;
  if (!(number >= field.low && number <= field.high))
    RefuseKey(field.key,
              "must be from " + core::LimitText(field.low) + " to " + core::LimitText(field.high));
  return number;
}

int ObjectReader::WholeOf(JsonNode node, const Field& field) const {
  const double number = NumberOf(node, field);
  if (number != std::floor(number)) RefuseKey(field.key, "must be a whole number");
  return static_cast<int>(number);
}

std::optional<std::string> ObjectReader::Text(std::string_view key) const {
  const JsonNode json = Find(key);
  if (!json) return std::nullopt;
  std::string text = TextOf(json, key);
  if (definition_.Of(key).shape == Shape::kAbsolutePath && !text.starts_with('/'))
    RefuseKey(key, "must be an absolute path");
  // Names appear in tables, logs and messages, so they must be printable.
  if (definition_.Of(key).shape == Shape::kText && Printable(text) != text)
    RefuseKey(key, "must be one line, without control characters");
  return text;
}

std::optional<double> ObjectReader::Number(std::string_view key) const {
  const JsonNode json = Find(key);
  return json ? std::optional(NumberOf(json, definition_.Of(key))) : std::nullopt;
}

std::optional<int> ObjectReader::Whole(std::string_view key) const {
  const JsonNode json = Find(key);
  return json ? std::optional(WholeOf(json, definition_.Of(key))) : std::nullopt;
}

std::optional<bool> ObjectReader::Flag(std::string_view key) const {
  const JsonNode json = Find(key);
  if (!json) return std::nullopt;
  if (!Of(json).is_boolean()) RefuseKey(key, "must be true or false");
  return Of(json).get<bool>();
}

std::optional<Duration> ObjectReader::Span(std::string_view key) const {
  const JsonNode json = Find(key);
  if (!json) return std::nullopt;
  const Field& field = definition_.Of(key);
  Duration value{};
  if (Of(json).is_number()) {
    Field seconds{std::string(key)};
    seconds.high = core::kMostSeconds;
    value = DurationFromSeconds(NumberOf(json, seconds));
  } else {
    const auto duration = ParseDuration(TextOf(json, key));
    if (!duration) RefuseKey(key, duration.error().what, duration.error().next);
    if (*duration < Duration::zero()) RefuseKey(key, "must not be negative");
    value = *duration;
  }
  const Duration least = DurationFromSeconds(field.low);
  if (value < least)
    RefuseKey(key, least <= std::chrono::milliseconds{1}
                       ? "must be longer than nothing"
                       : "must be at least " + FormatDuration(least));
  return value;
}

std::optional<std::variant<Time, Duration>> ObjectReader::Moment(std::string_view key) const {
  const JsonNode json = Find(key);
  if (!json) return std::nullopt;
  if (Of(json).is_string()) {
    const std::string text = TextOf(json, key);
    if (const auto duration = ParseDuration(text)) return *duration;
    if (const auto time = ParseTime(text)) return *time;
  }
  RefuseKey(key, "is neither a time nor a duration", "write 6h, or 2026-05-01T12:00Z");
}

std::vector<JsonNode> ObjectReader::List(std::string_view key, const char* must) const {
  std::vector<JsonNode> list;
  const JsonNode json = Find(key);
  if (!json) return list;
  if (!Of(json).is_array() || Of(json).size() > core::kMostWords) RefuseKey(key, must);
  for (const Json& entry : Of(json)) list.push_back(&entry);
  return list;
}

bool ObjectReader::IsText(JsonNode json) { return Of(json).is_string(); }

std::optional<std::vector<std::string>> ObjectReader::Texts(std::string_view key) const {
  if (!Has(key)) return std::nullopt;
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  for (const JsonNode entry : List(key, "must be a list of texts")) {
    texts.push_back(TextOf(entry, key));
    bytes += texts.back().size();
  }
  CheckBytes(bytes, key);
  return texts;
}

std::vector<std::pair<std::string, std::string>> ObjectReader::TextsByName(
    std::string_view key) const {
  const JsonNode json = Find(key);
  std::vector<std::pair<std::string, std::string>> texts;
  if (!json) return texts;
  if (!Of(json).is_object() || Of(json).size() > core::kMostWords)
    RefuseKey(key, "must be an object of texts");
  std::size_t bytes = 0;
  for (const auto& [name, value] : Of(json).items()) {
    CheckLength(name, key);
    texts.emplace_back(name, TextOf(&value, key));
    bytes += name.size() + texts.back().second.size();
  }
  CheckBytes(bytes, key);
  return texts;
}

std::optional<std::string> ObjectReader::TextOrNumber(std::string_view key) const {
  const JsonNode json = Find(key);
  if (!json) return std::nullopt;
  return Of(json).is_number() ? Of(json).dump() : TextOf(json, key);
}

std::optional<core::OptionValue> ObjectReader::Value(const Field& field) const {
  const auto as_value = [](auto given) {
    return given ? std::optional<core::OptionValue>(std::move(*given)) : std::nullopt;
  };
  switch (field.shape) {
    case Shape::kNumber:
      return as_value(Number(field.key));
    case Shape::kWhole: {
      const auto whole = Whole(field.key);
      return whole ? std::optional<core::OptionValue>(std::int64_t{*whole}) : std::nullopt;
    }
    case Shape::kFlag:
      return as_value(Flag(field.key));
    case Shape::kDuration:
      return as_value(Span(field.key));
    case Shape::kTexts:
      return as_value(Texts(field.key));
    case Shape::kTextOrNumber:
      return as_value(TextOrNumber(field.key));
    case Shape::kChoice:
      return as_value(OneOf(field.key, field.choices));
    default:
      return as_value(Text(field.key));
  }
}

std::optional<std::string> ObjectReader::OneOf(std::string_view key,
                                               const std::vector<std::string>& names) const {
  return Choice(
      key,
      [&](const std::string& name) {
        return std::ranges::count(names, name) > 0 ? std::optional(name) : std::nullopt;
      },
      names);
}

std::optional<ObjectReader> ObjectReader::Object(std::string_view key) const {
  const JsonNode json = Find(key);
  const Field& field = definition_.Of(key);
  if (!json || (field.shape == Shape::kTextOrObject && !Of(json).is_object())) return std::nullopt;
  return ObjectReader(json, *field.definition, Where(key));
}

std::vector<JsonNode> ObjectReader::Objects(std::string_view key) const {
  const JsonNode json = Find(key);
  EBB_CHECK(json);
  if (!Of(json).is_array()) RefuseKey(key, "must be a list of objects");
  std::vector<JsonNode> objects;
  for (const Json& entry : Of(json)) objects.push_back(&entry);
  return objects;
}

}  // namespace ebb::web
