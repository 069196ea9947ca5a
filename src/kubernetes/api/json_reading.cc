#include "kubernetes/api/json_reading.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace ebb::kubernetes {
namespace {

std::optional<double> ScaleOf(std::string_view suffix) {
  constexpr std::array<std::pair<std::string_view, double>, 16> kScales{{{"", 1},
                                                                         {"n", 1e-9},
                                                                         {"u", 1e-6},
                                                                         {"m", 1e-3},
                                                                         {"k", 1e3},
                                                                         {"M", 1e6},
                                                                         {"G", 1e9},
                                                                         {"T", 1e12},
                                                                         {"P", 1e15},
                                                                         {"E", 1e18},
                                                                         {"Ki", 0x1p10},
                                                                         {"Mi", 0x1p20},
                                                                         {"Gi", 0x1p30},
                                                                         {"Ti", 0x1p40},
                                                                         {"Pi", 0x1p50},
                                                                         {"Ei", 0x1p60}}};
  for (const auto& [name, scale] : kScales)
    if (name == suffix) return scale;
  return std::nullopt;
}

}  // namespace

std::string TextAt(const JsonNode& json, std::string_view pointer) {
  const JsonNode* found = json.At(pointer);
  return found ? found->AsText().value_or("") : "";
}

std::optional<std::int64_t> NumberAt(const JsonNode& json, std::string_view pointer) {
  constexpr double kMost = 1e15;
  const JsonNode* found = json.At(pointer);
  const auto number = found ? found->AsNumber() : std::nullopt;
  if (!number || std::abs(*number) > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

bool IsTrueAt(const JsonNode& json, std::string_view pointer) {
  const JsonNode* found = json.At(pointer);
  return found && found->type == JsonNode::Type::kBool && found->boolean;
}

std::map<std::string, std::string> TextsAt(const JsonNode& json, std::string_view pointer) {
  std::map<std::string, std::string> texts;
  if (const JsonNode* found = json.At(pointer))
    for (const JsonMember& member : found->members)
      if (member.value.type == JsonNode::Type::kText) texts[member.name] = member.value.text;
  return texts;
}

bool HasCondition(const JsonNode& object, std::string_view type) {
  const JsonNode* conditions = object.At("/status/conditions");
  return conditions && std::ranges::any_of(conditions->items, [&](const JsonNode& condition) {
           return condition.TextOf("type") == type && condition.TextOf("status") == "True";
         });
}

std::optional<double> QuantityOf(const JsonNode& json) {
  if (json.type == JsonNode::Type::kNumber) return json.number;
  return json.type == JsonNode::Type::kText ? QuantityOf(json.text) : std::nullopt;
}

std::optional<double> QuantityOf(const std::string& text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const auto scale =
      ScaleOf(std::string_view(text).substr(static_cast<std::size_t>(read.ptr - text.data())));
  return scale ? std::optional(number * *scale) : std::nullopt;
}

bool IsGpu(std::string_view resource) {
  return resource.ends_with("/gpu") || resource.starts_with("nvidia.com/mig-");
}

std::string MessageOf(int status, std::string_view body) {
  const auto answer = ParseJson(body, "");
  const std::string message = answer ? TextAt(*answer, "/message") : "";
  return "HTTP status " + std::to_string(status) + (message.empty() ? "" : ": " + message);
}

}  // namespace ebb::kubernetes
