#pragma once
// Checks JSON against a schema of an OpenAPI 3.0 document, with the parts of the standard that this
// room's schemas use. For tests only.

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/check.h"

namespace ebb::web {

class SchemaCheck {
 public:
  using Json = nlohmann::json;
  /// A check for answers, in which keys without a schema are wrong too.
  explicit SchemaCheck(Json document) : document_(std::move(document)) {}

  /// The problems, one line each; empty if there are none.
  std::string Wrong(const Json& value, const Json& schema, const std::string& where = "$") const {
    CheckWords(schema);
    if (schema.contains("$ref")) return Wrong(value, Target(schema), where);
    if (value.is_null() && schema.value("nullable", false)) return "";
    std::string wrong = WrongType(value, schema, where);
    if (!wrong.empty()) return wrong;
    for (const Json& part : schema.value("allOf", Json::array()))
      wrong += Wrong(value, part, where);
    if (schema.contains("oneOf")) {
      const auto fits =
          std::count_if(schema["oneOf"].begin(), schema["oneOf"].end(),
                        [&](const Json& one) { return Wrong(value, one, where).empty(); });
      if (fits != 1) wrong += where + " fits " + std::to_string(fits) + " of oneOf\n";
    }
    if (value.is_object()) wrong += WrongObject(value, schema, where);
    if (value.is_array()) wrong += WrongList(value, schema, where);
    return wrong;
  }
  std::string WrongAs(const Json& value, const std::string& name) const {
    return Wrong(value, Json{{"$ref", "#/components/schemas/" + name}});
  }
  const Json& Target(const Json& ref) const {
    return document_.at(Json::json_pointer(ref["$ref"].get<std::string>().substr(1)));
  }

 private:
  // Refuses schema words that this class does not know: nobody would check such a rule.
  static void CheckWords(const Json& schema) {
    static const std::set<std::string> known{"$ref",          "allOf",       "oneOf",
                                             "type",          "nullable",    "minimum",
                                             "maximum",       "enum",        "pattern",
                                             "items",         "minItems",    "maxItems",
                                             "format",        "required",    "example",
                                             "properties",    "description", "additionalProperties",
                                             "maxProperties", "maxLength",   "deprecated"};
    for (const auto& [word, value] : schema.items()) EBB_CHECK(known.contains(word));
  }
  static bool HasType(const Json& value, const std::string& type) {
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    if (type == "object") return value.is_object();
    if (type == "integer")
      return value.is_number() && value.get<double>() == std::floor(value.get<double>());
    EBB_CHECK(type == "number");
    return value.is_number();
  }
  static std::string WrongType(const Json& value, const Json& schema, const std::string& where) {
    if (schema.contains("type") && !HasType(value, schema["type"]))
      return where + " is not of type " + schema["type"].get<std::string>() + "\n";
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return where + " is none of the choices: " + value.dump() + "\n";
    if ((schema.contains("minimum") && value < schema["minimum"]) ||
        (schema.contains("maximum") && value > schema["maximum"]))
      return where + " is beyond its limits\n";
    if (schema.contains("pattern")) {
      EBB_CHECK(schema["pattern"] == "^/");
      if (!value.get<std::string>().starts_with('/')) return where + " does not begin with /\n";
    }
    return "";
  }
  std::string WrongObject(const Json& value, const Json& schema, const std::string& where) const {
    std::string wrong;
    for (const Json& key : schema.value("required", Json::array()))
      if (!value.contains(key.get<std::string>())) wrong += where + " has no " + key.dump() + "\n";
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, part] : value.items()) {
      if (properties.contains(key))
        wrong += Wrong(part, properties[key], where + "." + key);
      else if (schema.contains("additionalProperties") &&
               schema["additionalProperties"].is_object())
        wrong += Wrong(part, schema["additionalProperties"], where + "." + key);
      else if (!properties.empty())
        wrong += where + "." + key + " is not described\n";
    }
    return wrong;
  }
  std::string WrongList(const Json& value, const Json& schema, const std::string& where) const {
    std::string wrong;
    if (value.size() < schema.value("minItems", 0u) ||
        value.size() > schema.value("maxItems", value.size()))
      wrong += where + " has " + std::to_string(value.size()) + " items\n";
    if (!schema.contains("items")) return wrong;
    for (std::size_t i = 0; i < value.size(); ++i)
      wrong += Wrong(value[i], schema["items"], where + "[" + std::to_string(i) + "]");
    return wrong;
  }

  Json document_;
};

}  // namespace ebb::web
