#pragma once
// Unknown keys in files of other programs. Ebb cannot tell if such a key changes what a model
// computes, so it ignores a key only if the value is empty.

#include "base/json_node.h"

namespace ebb::train {

/// True for null, false, or an empty text, list or object.
inline bool SaysNothing(const JsonNode& node) {
  switch (node.type) {
    case JsonNode::Type::kNull:
      return true;
    case JsonNode::Type::kBool:
      return !node.boolean;
    case JsonNode::Type::kNumber:
      return false;
    case JsonNode::Type::kText:
      return node.text.empty();
    case JsonNode::Type::kList:
      return node.items.empty();
    case JsonNode::Type::kObject:
      return node.members.empty();
  }
  return false;
}

}  // namespace ebb::train
