#include "kubernetes/dispatch/owned_fields.h"

#include <algorithm>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

bool Same(const JsonNode& a, const JsonNode& b) {
  return a.type == b.type && a.text == b.text && a.number == b.number && a.boolean == b.boolean;
}

bool HasKeys(const JsonNode& item, const JsonNode& keys) {
  return std::ranges::all_of(keys.members, [&](const JsonMember& key) {
    const JsonNode* value = item.Find(key.name);
    return value && Same(*value, key.value);
  });
}

// Tells if a path element names this item of a list.
bool Names(std::string_view element, const JsonNode& item, std::size_t at) {
  if (element.size() < 2) return false;
  const std::string_view rest = element.substr(2);
  if (element.starts_with("i:")) return ParseInteger(rest) == static_cast<long long>(at);
  const auto key = ParseJson(rest, "metadata.managedFields");
  if (!key) return false;
  return element.starts_with("v:") ? Same(item, *key) : HasKeys(item, *key);
}

// In the order of the list: an apply in another order would change it.
void AddItems(const JsonNode& list, const JsonNode& fields, JsonNode& part) {
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const auto field = std::ranges::find_if(
        fields.members, [&](const JsonMember& each) { return Names(each.name, list.items[i], i); });
    if (field != fields.members.end()) part.items.push_back(PartOf(list.items[i], field->value));
  }
}

}  // namespace

JsonNode PartOf(const JsonNode& value, const JsonNode& fields) {
  if (fields.members.empty()) return value;
  JsonNode part;
  part.type = value.type;
  if (value.is_list()) AddItems(value, fields, part);
  if (!value.is_object()) return part;
  for (const JsonMember& field : fields.members) {
    if (!field.name.starts_with("f:")) continue;
    const std::string name = field.name.substr(2);
    if (const JsonNode* found = value.Find(name))
      part.members.push_back({name, PartOf(*found, field.value)});
  }
  return part;
}

std::optional<OwnedFields> OwnedStatus(const JsonNode& object, std::string_view manager) {
  const JsonNode* managers = object.At("/metadata/managedFields");
  if (!managers) return std::nullopt;
  const auto entry = std::ranges::find_if(managers->items, [&](const JsonNode& each) {
    return each.TextOf("manager") == manager && each.TextOf("operation") == "Apply" &&
           each.TextOf("subresource") == "status";
  });
  if (entry == managers->items.end()) return std::nullopt;
  OwnedFields owned{entry->TextOf("apiVersion"), {}};
  const JsonNode* fields = entry->At("/fieldsV1/f:status");
  const JsonNode* status = object.Find("status");
  if (fields && status) owned.status = PartOf(*status, *fields);
  return owned;
}

}  // namespace ebb::kubernetes
