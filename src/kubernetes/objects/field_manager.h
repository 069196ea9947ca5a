#pragma once
// Finds the last writer of a field of an object in `metadata.managedFields`, which the API server
// keeps (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management). Pure.

#include <string>
#include <string_view>

#include "base/json_node.h"

namespace ebb::kubernetes {

/// The manager that wrote the field at this JSON pointer ("/spec/suspend") last, such as
/// "argocd-controller"; empty: unknown.
std::string ManagerOfField(const JsonNode& object, std::string_view pointer);

}  // namespace ebb::kubernetes
