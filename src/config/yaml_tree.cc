#include "config/yaml_tree.h"

#include <yaml-cpp/yaml.h>

namespace ebb::config {
namespace {

constexpr std::size_t kLongestText = 1 << 20;
constexpr int kMostNodes = 20'000;
constexpr int kDeepest = 16;

int LineOf(const YAML::Mark& mark) { return mark.line + 1; }

Error Bad(const std::string& name, const YAML::Mark& mark, std::string what) {
  std::string where = name;
  if (!mark.is_null())
    where += ":" + std::to_string(LineOf(mark)) + ":" + std::to_string(mark.column + 1);
  return {ExitCode::kConfiguration, std::move(what), std::move(where), ""};
}

// Copies the library's tree, counting nodes so that aliases cannot unfold without end.
class Copier {
 public:
  explicit Copier(const std::string& name) : name_(name) {}

  Result<YamlNode> Copy(const YAML::Node& node, int depth) {
    if (depth > kDeepest || ++nodes_ > kMostNodes)
      return Fail(Bad(name_, node.Mark(), "the file is too large or too deep for a configuration"));
    YamlNode copy;
    copy.line = LineOf(node.Mark());
    if (node.IsScalar()) {
      copy.kind = YamlNode::Kind::kScalar;
      copy.text = node.Scalar();
    } else if (node.IsSequence()) {
      copy.kind = YamlNode::Kind::kList;
      for (const YAML::Node& item : node) {
        EBB_ASSIGN_OR_RETURN(YamlNode value, Copy(item, depth + 1));
        copy.items.push_back(std::move(value));
      }
    } else if (node.IsMap()) {
      copy.kind = YamlNode::Kind::kMap;
      for (const auto& entry : node) {
        if (!entry.first.IsScalar())
          return Fail(Bad(name_, entry.first.Mark(), "a key must be a plain word"));
        EBB_ASSIGN_OR_RETURN(YamlNode value, Copy(entry.second, depth + 1));
        copy.entries.push_back(
            {entry.first.Scalar(), LineOf(entry.first.Mark()), std::move(value)});
      }
    }
    return copy;
  }

 private:
  const std::string& name_;
  int nodes_ = 0;
};

}  // namespace

Result<YamlNode> ParseYaml(const std::string& text, const std::string& name) {
  if (text.size() > kLongestText)
    return Fail({ExitCode::kConfiguration, "is larger than 1 MiB", name, "is it the right file?"});
  // The library reports by exceptions; they end here.
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return YamlNode{};
    if (documents.size() > 1)
      return Fail(Bad(name, documents[1].Mark(), "a second document begins; one is expected"));
    return Copier(name).Copy(documents.front(), 0);
  } catch (const YAML::Exception& exception) {
    return Fail(Bad(name, exception.mark, "is not valid YAML: " + exception.msg));
  }
}

}  // namespace ebb::config
