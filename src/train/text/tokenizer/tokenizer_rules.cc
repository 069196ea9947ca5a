#include "train/text/tokenizer/tokenizer_rules.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace ebb::train {
namespace {

// A class of transformers 4.57, without the "Fast" behind its name.
struct TokenizerClass {
  std::string_view name;
  bool goes_by_flags = false;       ///< true: flags decide; false: post_processor of tokenizer.json
  std::string_view begin{}, end{};  ///< default tokens if no file names them
  bool builds_from_prefix_flag = false;  ///< add_prefix_space: from tokenizer.model
};

constexpr TokenizerClass kClasses[] = {
    {"LlamaTokenizer", true, "<s>", "</s>", true},
    {"CodeLlamaTokenizer", true, "<s>", "</s>"},
    {"GemmaTokenizer", true, "<bos>", "<eos>"},
    {"Qwen2Tokenizer"},
    {"GPT2Tokenizer"},
    {"PreTrainedTokenizer"},
};

// The class of a model whose files do not name one.
struct ClassOfModel {
  std::string_view model_type, name;
};

constexpr ClassOfModel kClassesOfModels[] = {{"llama", "LlamaTokenizer"},
                                             {"mistral", "LlamaTokenizer"},
                                             {"qwen2", "Qwen2Tokenizer"},
                                             {"qwen3", "Qwen2Tokenizer"},
                                             {"gemma3_text", "GemmaTokenizer"}};

std::string ClassName(const TokenizerConfigs& configs) {
  std::string name = configs.tokenizer.TextOf("tokenizer_class");
  if (name.empty()) name = configs.model.TextOf("tokenizer_class");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  if (!name.empty()) return name;
  const auto* found = std::ranges::find(kClassesOfModels, configs.model.TextOf("model_type"),
                                        &ClassOfModel::model_type);
  return found == std::end(kClassesOfModels) ? "" : std::string(found->name);
}

class Follower {
 public:
  Follower(const TokenizerConfigs& configs, TokenizerParts& parts)
      : configs_(configs), parts_(parts) {}

  Status Follow() {
    const std::string name = ClassName(configs_);
    const auto* found = std::ranges::find(kClasses, name, &TokenizerClass::name);
    if (found == std::end(kClasses))
      return Refuse("it is not known what transformers 4 does for tokenizer_class " + Quoted(name));
    if (!found->goes_by_flags) return {};
    if (IsSaid("from_slow") || (found->builds_from_prefix_flag && IsSaid("add_prefix_space")))
      return Refuse(
          "from_slow or add_prefix_space is set: transformers 4 makes this tokenizer "
          "from tokenizer.model, which Ebb does not read");
    EBB_ASSIGN_OR_RETURN(const bool begins, Flag("add_bos_token", true));
    EBB_ASSIGN_OR_RETURN(const bool ends, Flag("add_eos_token", false));
    EBB_ASSIGN_OR_RETURN(parts_.before, Around(begins, "bos_token", found->begin));
    EBB_ASSIGN_OR_RETURN(parts_.after, Around(ends, "eos_token", found->end));
    return {};
  }

 private:
  bool IsSaid(const char* key) const {
    const JsonNode* found = configs_.tokenizer.Find(key);
    return found != nullptr && !found->is_null();
  }

  Result<bool> Flag(const std::string& key, bool otherwise) const {
    const JsonNode* found = configs_.tokenizer.Find(key);
    if (found == nullptr) return otherwise;
    if (found->type != JsonNode::Type::kBool) return Refuse(key + " is not true or false");
    return found->boolean;
  }

  // The token of a role; nothing if it is null.
  std::optional<std::string> Token(const char* role, std::string_view otherwise) const {
    const JsonNode* found = configs_.special_map.Find(role);
    if (found == nullptr) found = configs_.tokenizer.Find(role);
    if (found == nullptr) return std::string(otherwise);
    return found->is_object() ? found->TextOf("content") : found->AsText();
  }

  Result<std::vector<TokenId>> Around(bool wanted, const std::string& role,
                                      std::string_view otherwise) const {
    if (!wanted) return std::vector<TokenId>{};
    const auto token = Token(role.c_str(), otherwise);
    if (!token) return Refuse("every text has a " + role + ", but it is null");
    auto id = parts_.added.Find(*token);
    if (!id) id = parts_.model.vocabulary().Find(*token);
    if (!id)
      return Refuse("every text has the " + role + " " + Quoted(*token) +
                    ", but the vocabulary has no such token");
    return std::vector{*id};
  }

  tl::unexpected<Error> Refuse(std::string what) const {
    return Fail({ExitCode::kConfiguration, std::move(what), configs_.name,
                 "correct the file, or use --tokenizer-rules transformers-5"});
  }

  const TokenizerConfigs& configs_;
  TokenizerParts& parts_;
};

}  // namespace

Status FollowTransformers4(const TokenizerConfigs& configs, TokenizerParts& parts) {
  return Follower(configs, parts).Follow();
}

}  // namespace ebb::train
