#include "config/yaml/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>

namespace ebb::config {
namespace {

constexpr int kDeepest = 16;

int LineOf(const YAML::Mark& mark) { return mark.line + 1; }

Error Bad(const std::string& name, const YAML::Mark& mark, std::string what) {
  std::string where = name;
  if (!mark.is_null())
    where += ":" + std::to_string(LineOf(mark)) + ":" + std::to_string(mark.column + 1);
  return {ExitCode::kConfiguration, std::move(what), std::move(where), ""};
}

Error TooMany(const std::string& name, const YAML::Mark& mark, const YamlLimits& limits) {
  Error error = Bad(name, mark, "holds more than " + std::to_string(limits.values) + " values");
  error.next = limits.next;
  return error;
}

// Copies the library's tree, counting nodes so that aliases cannot unfold without end.
class Copier {
 public:
  Copier(const std::string& name, const YamlLimits& limits) : name_(name), limits_(limits) {}

  Result<YamlNode> Copy(const YAML::Node& node, int depth) {
    if (depth > kDeepest)
      return Fail(
          Bad(name_, node.Mark(), "is more than " + std::to_string(kDeepest) + " sections deep"));
    if (++nodes_ > limits_.values) return Fail(TooMany(name_, node.Mark(), limits_));
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
  const YamlLimits& limits_;
  int nodes_ = 0;
};

// Records where documents begin, and counts values before a tree of them takes memory.
class Survey final : public YAML::EventHandler {
 public:
  explicit Survey(int most_values) : left_(most_values) {}
  struct TooMany {
    YAML::Mark mark;
  };
  const std::vector<YAML::Mark>& documents() const { return documents_; }
  void OnDocumentStart(const YAML::Mark& mark) override { documents_.push_back(mark); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Count(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string&) override {
    Count(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Count(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Count(mark);
  }
  void OnMapEnd() override {}

 private:
  // An exception is the only way to stop the library.
  void Count(const YAML::Mark& mark) {
    if (left_-- == 0) throw TooMany{mark};
  }

  std::vector<YAML::Mark> documents_;
  int left_;
};

// Fails if the text holds more than the limits allow, or anything after the first document.
// YAML::LoadAll cannot be used: it loops for ever if the text after a document cannot begin another
// (yaml-cpp 0.7, "  a: b
// ,  c: d").
Status CheckSize(const std::string& text, const std::string& name, const YamlLimits& limits) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Survey survey(2 * limits.values);  // the library reports keys in the same way as values
  try {
    for (int document = 0; document < 2 && parser.HandleNextDocument(survey); ++document) {
    }
  } catch (const Survey::TooMany& too_many) {
    return Fail(TooMany(name, too_many.mark, limits));
  }
  if (survey.documents().size() < 2) return {};
  return Fail(Bad(name, survey.documents()[1], "something follows the end of the first document"));
}

}  // namespace

Result<YamlNode> ParseYaml(const std::string& text, const std::string& name,
                           const YamlLimits& limits) {
  if (text.size() > limits.bytes)
    return Fail({ExitCode::kConfiguration,
                 "is larger than " + std::to_string(limits.bytes >> 20) + " MiB", name,
                 limits.next});
  // The library reports errors by exceptions, which are caught here.
  try {
    EBB_RETURN_IF_ERROR(CheckSize(text, name, limits));
    return Copier(name, limits).Copy(YAML::Load(text), 0);
  } catch (const YAML::Exception& exception) {
    return Fail(Bad(name, exception.mark, "is not valid YAML: " + exception.msg));
  }
}

}  // namespace ebb::config
