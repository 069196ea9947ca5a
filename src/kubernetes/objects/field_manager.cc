#include "kubernetes/objects/field_manager.h"

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// "/spec/suspend" is {"f:spec": {"f:suspend": {}}} there.
std::string PointerInFields(std::string_view pointer) {
  std::string in_fields = "/fieldsV1";
  for (const char c : pointer) in_fields += c == '/' ? std::string("/f:") : std::string(1, c);
  return in_fields;
}

}  // namespace

std::string ManagerOfField(const JsonNode& object, std::string_view pointer) {
  const JsonNode* managers = object.At("/metadata/managedFields");
  if (!managers) return "";
  const std::string in_fields = PointerInFields(pointer);
  std::string newest, newest_time;
  for (const JsonNode& entry : managers->items) {
    const std::string time = TextAt(entry, "/time");  // all in UTC and of one length
    if (!entry.At(in_fields) || time < newest_time) continue;
    newest = TextAt(entry, "/manager");
    newest_time = time;
  }
  return newest;
}

}  // namespace ebb::kubernetes
