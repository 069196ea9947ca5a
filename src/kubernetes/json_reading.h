#pragma once
// Values out of objects of the API, of which nothing is certain: what is not there, or is of
// another type, is nothing.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_node.h"

namespace ebb::kubernetes {

/// By a JSON pointer.
std::string TextAt(const JsonNode& json, std::string_view pointer);
std::optional<std::int64_t> NumberAt(const JsonNode& json, std::string_view pointer);
bool IsTrueAt(const JsonNode& json, std::string_view pointer);
/// The texts of an object, by name.
std::map<std::string, std::string> TextsAt(const JsonNode& json, std::string_view pointer);
/// Whether a condition of this type is "True".
bool HasCondition(const JsonNode& object, std::string_view type);

/// A quantity of Kubernetes: "2", "500m", "64Gi", "1e3"; nothing for what is none.
std::optional<double> QuantityOf(const JsonNode& json);
std::optional<double> QuantityOf(const std::string& text);
/// Whether a resource counts GPUs, or slices of them.
bool IsGpu(std::string_view resource);

/// What an answer of the API says went wrong: the message of a Status object, or the status.
std::string MessageOf(int status, std::string_view body);

}  // namespace ebb::kubernetes
