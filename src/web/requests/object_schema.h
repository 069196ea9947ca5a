#pragma once
// Turns a definition (core/options/definition.h) into a schema of OpenAPI 3.0, which is JSON.

#include "core/options/definition.h"

namespace ebb::web {

using core::Definition;
using core::Field;
using core::Shape;

std::string SchemaOf(const Definition& definition);

}  // namespace ebb::web
