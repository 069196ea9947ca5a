#include "kubernetes/dispatch/owned_fields.h"

#include <algorithm>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr std::string_view kSelf = ".";

bool Same(const JsonNode& a, const JsonNode& b) {
  return a.type == b.type && a.text == b.text && a.number == b.number && a.boolean == b.boolean;
}

bool HasKeys(const JsonNode& item, const JsonNode& keys) {
  return std::ranges::all_of(keys.members, [&](const JsonMember& key) {
    const JsonNode* value = item.Find(key.name);
    return value && Same(*value, key.value);
  });
}

// The item of a list that a path element names; nullptr: there is none.
const JsonNode* ItemOf(const JsonNode& list, std::string_view element) {
  if (element.size() < 2) return nullptr;
  const std::string_view rest = element.substr(2);
  if (element.starts_with("i:")) {
    const auto index = ParseInteger(rest);
    const bool is_there =
        index && *index >= 0 && static_cast<std::size_t>(*index) < list.items.size();
    return is_there ? &list.items[static_cast<std::size_t>(*index)] : nullptr;
  }
  const auto key = ParseJson(rest, "metadata.managedFields");
  if (!key) return nullptr;
  const bool is_value = element.starts_with("v:");
  const auto found = std::ranges::find_if(list.items, [&](const JsonNode& item) {
    return is_value ? Same(item, *key) : HasKeys(item, *key);
  });
  return found == list.items.end() ? nullptr : &*found;
}

}  // namespace

JsonNode PartOf(const JsonNode& value, const JsonNode& fields) {
  if (fields.members.empty()) return value;
  JsonNode part;
  part.type = value.type;
  for (const JsonMember& field : fields.members) {
    if (field.name == kSelf) continue;
    const bool is_member = field.name.starts_with("f:");
    if (is_member != value.is_object()) continue;
    const std::string name = is_member ? field.name.substr(2) : "";
    const JsonNode* found = is_member ? value.Find(name) : ItemOf(value, field.name);
    if (!found) continue;
    JsonNode inner = PartOf(*found, field.value);
    if (is_member)
      part.members.push_back({name, std::move(inner)});
    else
      part.items.push_back(std::move(inner));
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
