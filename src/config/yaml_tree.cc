#include "config/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

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

// Notes where documents begin, and nothing else.
class DocumentStarts final : public YAML::EventHandler {
 public:
  const std::vector<YAML::Mark>& marks() const { return marks_; }
  void OnDocumentStart(const YAML::Mark& mark) override { marks_.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  std::vector<YAML::Mark> marks_;
};

// Whether something follows the first document. Not by YAML::LoadAll: that loops for ever where
// what follows cannot begin a document (yaml-cpp 0.7, "  a: b\n,  c: d").
Status CheckSingleDocument(const std::string& text, const std::string& name) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  for (int document = 0; document < 2 && parser.HandleNextDocument(starts); ++document) {
  }
  if (starts.marks().size() < 2) return {};
  return Fail(Bad(name, starts.marks()[1], "something follows the end of the first document"));
}

}  // namespace

Result<YamlNode> ParseYaml(const std::string& text, const std::string& name) {
  if (text.size() > kLongestText)
    return Fail({ExitCode::kConfiguration, "is larger than 1 MiB", name, "is it the right file?"});
  // The library reports by exceptions; they end here.
  try {
    EBB_RETURN_IF_ERROR(CheckSingleDocument(text, name));
    return Copier(name).Copy(YAML::Load(text), 0);
  } catch (const YAML::Exception& exception) {
    return Fail(Bad(name, exception.mark, "is not valid YAML: " + exception.msg));
  }
}

}  // namespace ebb::config
