#pragma once
// The part of an object that one field manager owns by server-side apply.
//
// A manager that applies has to repeat all that it owns: the API server takes away what it leaves
// out. This is the body of an apply that changes nothing, to which the caller adds what it wants.
// The set of fields is read from metadata.managedFields of the same version of the object. Pure.

#include <optional>
#include <string>
#include <string_view>

#include "base/json_node.h"

namespace ebb::kubernetes {

struct OwnedFields {
  std::string api_version;  ///< version of the API in which the manager has applied
  JsonNode status;          ///< its part of the status; null: it owns nothing of it
};

/// Fields of the status that `manager` has applied; nothing: it has applied none.
std::optional<OwnedFields> OwnedStatus(const JsonNode& object, std::string_view manager);

/// The part of `value` that `fields` names, in the format of FieldsV1: {"f:a": {}} is the member
/// "a" of an object, {"k:{\"name\":\"b\"}": {}} the item of a list with that key, {"v:1": {}} the
/// item 1 of a set, and {"i:0": {}} the first item.
JsonNode PartOf(const JsonNode& value, const JsonNode& fields);

}  // namespace ebb::kubernetes
