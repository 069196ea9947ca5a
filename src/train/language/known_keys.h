#pragma once
// Files of others have keys that nobody here knows, and tomorrow more. Whether one of them changes
// what a model computes cannot be told, so it is passed over only if it says nothing.

#include "base/json_node.h"

namespace ebb::train {

/// null, false, or an empty text, list or object.
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
