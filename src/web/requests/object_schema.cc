#include "web/requests/object_schema.h"

#include <nlohmann/json.hpp>

#include "report/described_json.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;

Json TextOf(const Field& field) { return {{"type", "string"}, {"maxLength", LongestText(field)}}; }

Json NumberSchema(const char* type, double low, double high) {
  const auto limit = [&](double value) {
    return type == std::string_view("integer") ? Json(static_cast<std::int64_t>(value))
                                               : Json(value);
  };
  return {{"type", type}, {"minimum", limit(low)}, {"maximum", limit(high)}};
}

Json ListOf(Json items, std::size_t most) {
  return {{"type", "array"}, {"items", std::move(items)}, {"maxItems", most}};
}

Json OneOf(Json a, Json b) { return {{"oneOf", Json::array({std::move(a), std::move(b)})}}; }

Json RefTo(const Definition* definition) {
  return {{"$ref", report::PlaceOfSchema(definition->name)}};
}

Json SchemaOfShape(const Field& field) {
  switch (field.shape) {
    case Shape::kText:
    case Shape::kMoment:
      return TextOf(field);
    case Shape::kAbsolutePath:
      return {{"type", "string"}, {"pattern", "^/"}, {"maxLength", LongestText(field)}};
    case Shape::kNumber:
      return NumberSchema("number", field.low, field.high);
    case Shape::kWhole:
      return NumberSchema("integer", field.low, field.high);
    case Shape::kFlag:
      return {{"type", "boolean"}};
    case Shape::kDuration:
      return OneOf(TextOf(field), NumberSchema("number", 0, core::kMostSeconds));
    case Shape::kChoice:
      return {{"type", "string"}, {"enum", field.choices}};
    case Shape::kTexts:
      return ListOf(TextOf(field), core::kMostWords);
    case Shape::kTextsByName:
      return {{"type", "object"},
              {"additionalProperties", TextOf(field)},
              {"maxProperties", core::kMostWords}};
    case Shape::kJobs:
      return ListOf(OneOf(TextOf(field), NumberSchema("integer", field.low, field.high)),
                    core::kMostWords);
    case Shape::kTextOrNumber:
      return OneOf(TextOf(field), {{"type", "number"}});
    case Shape::kObject:
      return {{"allOf", Json::array({RefTo(field.definition)})}};
    case Shape::kTextOrObject:
      return OneOf(TextOf(field), RefTo(field.definition));
    case Shape::kObjects: {
      Json list = ListOf(RefTo(field.definition), core::kMostJobs);
      list["minItems"] = 1;
      return list;
    }
  }
  EBB_CHECK(false);
  return {};
}

// The words for a field of several types, such as a number of seconds or a time. The text is in the
// field's description because a shape is shared by many fields.
std::string WordsOf(const Field& field) {
  switch (field.shape) {
    case Shape::kDuration:
      return field.Description() + R"(; a text like "90m", or seconds)";
    case Shape::kMoment:
      return field.Description() + R"(; a time in UTC, or a duration from now like "6h")";
    default:
      return field.Description();
  }
}

}  // namespace

std::string SchemaOf(const Definition& definition) {
  Json properties = Json::object();
  Json required = Json::array();
  for (const Field& field : definition.fields) {
    Json schema = SchemaOfShape(field);
    schema["description"] = WordsOf(field);
    if (!field.example.empty()) schema["example"] = Json::parse(field.example);
    if (!field.formerly.empty()) {
      Json older = schema;
      older["description"] = "the older name of " + field.key;
      older["deprecated"] = true;
      properties[field.formerly] = std::move(older);
    }
    properties[field.key] = std::move(schema);
    if (field.required) required.push_back(field.key);
  }
  Json schema{{"type", "object"},
              {"description", definition.meaning},
              {"properties", std::move(properties)},
              {"additionalProperties", false},
              {"example", Json::parse(definition.example)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema.dump();
}

}  // namespace ebb::web
