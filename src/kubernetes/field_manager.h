#pragma once
// Who last wrote a field of an object, as the API server keeps it in `metadata.managedFields`
// (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
//
// Pure.

#include <string>
#include <string_view>

#include "base/json_node.h"

namespace ebb::kubernetes {

/// The manager that wrote the field at this JSON pointer ("/spec/suspend") last, such as
/// "argocd-controller"; empty: the object does not tell.
std::string ManagerOfField(const JsonNode& object, std::string_view pointer);

}  // namespace ebb::kubernetes
