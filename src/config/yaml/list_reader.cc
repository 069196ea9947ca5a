#include "config/yaml/list_reader.h"

#include <algorithm>

namespace ebb::config {
namespace {

bool IsText(const YamlNode& node) {
  return node.kind == YamlNode::Kind::kScalar && !Trim(node.text).empty();
}

std::optional<Duration> ClockTimeFrom(const YamlNode& value) {
  const auto parts = Split(value.text, ':');
  if (value.kind != YamlNode::Kind::kScalar || parts.size() != 2) return std::nullopt;
  const auto hours = ParseInteger(parts[0]), minutes = ParseInteger(parts[1]);
  if (!hours || !minutes || *hours < 0 || *hours > 23 || *minutes < 0 || *minutes > 59)
    return std::nullopt;
  return std::chrono::hours{*hours} + std::chrono::minutes{*minutes};
}

}  // namespace

void ReadEach(const std::string& name, const YamlNode& list, Problems& problems,
              const NodeReader& read) {
  if (list.kind != YamlNode::Kind::kList || list.items.empty())
    return problems.Add(list.line, name + " must be a list with at least one entry");
  for (const YamlNode& item : list.items) read(item, problems);
}

KeyRule ReadItems(const std::string& name, NodeReader read) {
  return {name, [name, read = std::move(read)](const YamlNode& list, Problems& problems) {
            ReadEach(name, list, problems, read);
          }};
}

KeyRule ReadTexts(const std::string& name, Given<std::vector<std::string>>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            std::vector<YamlNode> items = value.items;
            if (value.kind == YamlNode::Kind::kScalar) items = {value};
            std::vector<std::string> texts;
            for (const YamlNode& item : items) {
              const bool twice = std::find(texts.begin(), texts.end(), item.text) != texts.end();
              if (!IsText(item) || twice)
                return problems.Add(item.line, name + " must be a list of different texts");
              texts.push_back(item.text);
            }
            if (texts.empty())
              return problems.Add(value.line, name + " must be a list of different texts");
            out = {std::move(texts), value.line};
          }};
}

KeyRule ReadNode(const std::string& name, Given<YamlNode>& out) {
  return {std::move(name), [&out](const YamlNode& value, Problems&) { out = {value, value.line}; }};
}

std::optional<Moment> MomentFrom(const YamlNode& value) {
  if (value.kind != YamlNode::Kind::kScalar) return std::nullopt;
  if (const auto duration = ParseDuration(value.text)) return Moment{std::nullopt, *duration};
  if (const auto time = ParseTime(value.text)) return Moment{*time, {}};
  return std::nullopt;
}

KeyRule ReadMoment(const std::string& name, Given<Moment>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            out = {MomentFrom(value), value.line};
            if (!out)
              problems.Add(value.line, name +
                                           " must be a duration like 30h or a time like "
                                           "2023-05-01T13:45Z");
          }};
}

KeyRule ReadClockTime(const std::string& name, Given<Duration>& out) {
  return {name, [name, &out](const YamlNode& value, Problems& problems) {
            out = {ClockTimeFrom(value), value.line};
            if (!out) problems.Add(value.line, name + " must be a time of day like \"17:00\"");
          }};
}

}  // namespace ebb::config
