#pragma once
// What the API answers with, as schemas of OpenAPI 3.0: of jobs, the queue, sweeps, what was taken
// and errors. Written by hand; api_test.cc holds real answers against them. Pure.

#include <string_view>

namespace ebb::web {

/// A JSON object: schemas by name. Whoever reads answers has to expect further keys.
std::string_view AnswerSchemas();

}  // namespace ebb::web
