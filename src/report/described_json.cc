#include "report/described_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/check.h"

namespace ebb::report {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPlace = "#/components/schemas/";

std::string PlaceOfSchema(const std::string& name) { return std::string(kPlace) + name; }

DescribedJson& DescribedJson::Is(std::string_view name, std::string_view words) {
  if (schemas_) std::tie(name_, words_) = std::tie(name, words);
  return *this;
}

void DescribedJson::PutNumber(double value) { PutPlain("number", Json(value).dump()); }

// Most texts, and all keys, are written without escaping. A JSON value for each would cost ten
// times as much.
void DescribedJson::PutText(std::string_view value) {
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (!schemas_ && std::ranges::all_of(value, plain)) {
    ((text_ += '"') += value) += '"';
    return;
  }
  PutPlain("string", Json(value).dump(-1, ' ', false, Json::error_handler_t::replace));
}

void DescribedJson::MakeNullable() {
  Json schema = Json::parse(text_);
  // A schema ignores everything beside "$ref", so the object is written in full.
  if (schema.contains("$ref"))
    schema = Json::parse(schemas_->at(schema["$ref"].get<std::string>().substr(kPlace.size())));
  schema["nullable"] = true;
  text_ = schema.dump();
}

void DescribedJson::AddKey(std::string_view key, std::string_view words, std::string schema,
                           bool always) {
  auto found = std::ranges::find(keys_, key, &Key::name);
  if (found == keys_.end()) {
    EBB_CHECK(!words.empty());
    found = keys_.insert(found, {std::string(key), std::string(words), std::move(schema), 0});
  } else {
    EBB_CHECK(found->schema == schema);
  }
  found->in_forms += always ? 1 : 0;
}

std::string DescribedJson::RefToSchema() {
  Json schema{{"type", "object"}, {"description", words_}};
  for (const Key& key : keys_) {
    Json& property = schema["properties"][key.name] = Json::parse(key.schema);
    // A schema ignores everything beside "$ref".
    if (property.contains("$ref")) property = {{"allOf", {std::exchange(property, {})}}};
    property["description"] = key.words;
    if (key.in_forms == forms_) schema["required"].push_back(key.name);
  }
  (*schemas_)[name_] = schema.dump();
  return Json{{"$ref", PlaceOfSchema(name_)}}.dump();
}

}  // namespace ebb::report
