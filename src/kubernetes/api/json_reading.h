#pragma once
// Reads values from objects of the API defensively: a value that is missing or of another type is
// empty.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_node.h"

namespace ebb::kubernetes {

/// The text at a JSON pointer.
std::string TextAt(const JsonNode& json, std::string_view pointer);
std::optional<std::int64_t> NumberAt(const JsonNode& json, std::string_view pointer);
bool IsTrueAt(const JsonNode& json, std::string_view pointer);
/// The texts of an object, by name.
std::map<std::string, std::string> TextsAt(const JsonNode& json, std::string_view pointer);
/// Tells if a condition of this type is "True".
bool HasCondition(const JsonNode& object, std::string_view type);

/// A quantity of Kubernetes: "2", "500m", "64Gi", "1e3"; nothing if it is not a quantity.
std::optional<double> QuantityOf(const JsonNode& json);
std::optional<double> QuantityOf(const std::string& text);
/// Tells if a resource counts GPUs, or slices of them.
bool IsGpu(std::string_view resource);

/// The error in an answer of the API: the message of a Status object, or the status.
std::string MessageOf(int status, std::string_view body);

}  // namespace ebb::kubernetes
