#pragma once
// A definition (object_definition.h) as a schema of OpenAPI 3.0, which is JSON.

#include "web/requests/object_definition.h"

namespace ebb::web {

std::string SchemaOf(const Definition& definition);

}  // namespace ebb::web
