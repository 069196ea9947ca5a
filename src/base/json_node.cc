#include "base/json_node.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace ebb {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 32;

// Returns false if the nesting is too deep.
bool Convert(const Json& from, int depth, JsonNode& to) {
  if (depth > kDeepest) return false;
  if (from.is_boolean()) {
    to.type = JsonNode::Type::kBool;
    to.boolean = from.get<bool>();
  } else if (from.is_number()) {
    to.type = JsonNode::Type::kNumber;
    to.number = from.get<double>();
  } else if (from.is_string()) {
    to.type = JsonNode::Type::kText;
    to.text = from.get<std::string>();
  } else if (from.is_array()) {
    to.type = JsonNode::Type::kList;
    to.items.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      if (!Convert(from[i], depth + 1, to.items[i])) return false;
  } else if (from.is_object()) {
    to.type = JsonNode::Type::kObject;
    for (const auto& [name, value] : from.items())
      if (!Convert(value, depth + 1, to.members.emplace_back(JsonMember{name, {}}).value))
        return false;
  }
  return true;
}

// In a JSON pointer, "~1" stands for a slash and "~0" for a tilde.
std::string Unescape(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escaped = token[i] == '~' && i + 1 < token.size();
    if (escaped && token[i + 1] == '1') {
      text += '/';
      ++i;
    } else if (escaped && token[i + 1] == '0') {
      text += '~';
      ++i;
    } else {
      text += token[i];
    }
  }
  return text;
}

const JsonNode* Step(const JsonNode& node, const std::string& token) {
  if (!node.is_list()) return node.Find(token);
  const auto index = ParseInteger(token);
  if (!index || *index < 0 || static_cast<std::size_t>(*index) >= node.items.size()) return nullptr;
  return &node.items[static_cast<std::size_t>(*index)];
}

}  // namespace

const JsonNode* JsonNode::Find(std::string_view name) const {
  const auto it = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.name == name; });
  return it == members.end() ? nullptr : &it->value;
}

const JsonNode* JsonNode::At(std::string_view pointer) const {
  const JsonNode* node = this;
  if (pointer.empty()) return node;
  if (pointer.front() != '/') return nullptr;
  for (const std::string_view token : Split(pointer.substr(1), '/')) {
    node = Step(*node, Unescape(token));
    if (!node) return nullptr;
  }
  return node;
}

std::optional<double> JsonNode::AsNumber() const {
  return type == Type::kNumber ? std::optional<double>(number) : std::nullopt;
}

std::optional<std::string> JsonNode::AsText() const {
  return type == Type::kText ? std::optional(text) : std::nullopt;
}

std::optional<Time> JsonNode::AsTime() const {
  if (type != Type::kText) return std::nullopt;
  const auto time = ParseTime(text);
  return time ? std::optional<Time>(*time) : std::nullopt;
}

std::string JsonNode::TextOf(std::string_view member) const {
  const JsonNode* node = Find(member);
  return node ? node->text : "";
}

bool JsonNode::IsTrue(std::string_view member) const {
  const JsonNode* node = Find(member);
  return node && node->boolean;
}

std::optional<Time> JsonNode::TimeOf(std::string_view member) const {
  const JsonNode* node = Find(member);
  return node ? node->AsTime() : std::nullopt;
}

Result<JsonNode> ParseJson(std::string_view body, const std::string& where) {
  const Json root = Json::parse(body, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) return Fail(BadAnswer("the answer is not JSON", body, where));
  JsonNode node;
  if (!Convert(root, 0, node))
    return Fail(BadAnswer("the answer is nested too deeply", body, where));
  return node;
}

Error BadAnswer(std::string why, std::string_view body, const std::string& where) {
  constexpr std::size_t kShown = 120;
  std::string begin(body.substr(0, kShown));
  std::replace_if(
      begin.begin(), begin.end(),
      [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; }, ' ');
  return {ExitCode::kUnavailable, std::move(why) + "; it begins: " + begin, where,
          "compare the answer with the provider's documentation"};
}

}  // namespace ebb
