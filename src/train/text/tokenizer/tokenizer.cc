#include "train/text/tokenizer/tokenizer.h"

#include "platform/path_facts.h"
#include "train/text/tokenizer/tokenizer_parts.h"
#include "train/text/tokenizer/tokenizer_rules.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

constexpr const char* kFile = "tokenizer.json";
constexpr const char* kConfigFile = "tokenizer_config.json";
constexpr const char* kTemplateFile = "chat_template.jinja";
constexpr const char* kOlderConfigFile = "special_tokens_map.json";
constexpr const char* kModelFile = "config.json";

// Encodes text without added tokens.
Status EncodePlain(const TokenizerParts& parts, std::string_view text, bool at_start,
                   std::vector<TokenId>& ids) {
  Pieces pieces{std::string(text), {{0, text.size()}}, at_start};
  EBB_RETURN_IF_ERROR(PreTokenize(parts.pre_tokenizer, pieces));
  for (const TextRange& range : pieces.ranges)
    parts.model.Encode(std::string_view(pieces.text).substr(range.begin, range.end - range.begin),
                       ids);
  return {};
}

Status EncodeSegment(const TokenizerParts& parts, std::string_view text, bool at_start,
                     std::vector<TokenId>& ids) {
  EBB_ASSIGN_OR_RETURN(const std::string normal, Normalize(parts.normalizer, std::string(text)));
  for (const TextSegment& segment : parts.added.FindInNormalized(normal)) {
    if (segment.token) {
      ids.push_back(*segment.token);
    } else {
      const auto [begin, end] = segment.range;
      EBB_RETURN_IF_ERROR(EncodePlain(parts, std::string_view(normal).substr(begin, end - begin),
                                      at_start && begin == 0, ids));
    }
  }
  return {};
}

// The file's text; "" if there is no such file.
Result<std::string> TextIfThere(const platform::Path& path) {
  if (!platform::Exists(path)) return "";
  return platform::ReadFile(path);
}

Result<JsonNode> JsonIfThere(const std::string& text, const platform::Path& path) {
  if (text.empty()) return JsonNode{};
  return ParseJson(text, path.string());
}

// Reads the files as transformers does. Values of special_tokens_map.json override those of
// tokenizer_config.json, unless the latter has added_tokens_decoder: then the map is not read at
// all.
Status ReadConfigs(const platform::Path& folder, TokenizerRules rules, TokenizerParts& parts) {
  const platform::Path file = folder / kConfigFile, map_file = folder / kOlderConfigFile;
  EBB_ASSIGN_OR_RETURN(const std::string text, TextIfThere(file));
  EBB_ASSIGN_OR_RETURN(std::string map, TextIfThere(map_file));
  EBB_ASSIGN_OR_RETURN(JsonNode config, JsonIfThere(text, file));
  if (config.Find("added_tokens_decoder") != nullptr) map.clear();
  if (!text.empty()) EBB_RETURN_IF_ERROR(ParseTokenizerConfig(text, file.string(), parts));
  if (!map.empty()) EBB_RETURN_IF_ERROR(ParseTokenizerConfig(map, map_file.string(), parts));
  if (rules == TokenizerRules::kTransformers5) return {};
  EBB_ASSIGN_OR_RETURN(JsonNode special_map, JsonIfThere(map, map_file));
  EBB_ASSIGN_OR_RETURN(const std::string model_text, TextIfThere(folder / kModelFile));
  EBB_ASSIGN_OR_RETURN(JsonNode model, JsonIfThere(model_text, folder / kModelFile));
  return FollowTransformers4(
      {std::move(config), std::move(special_map), std::move(model), file.string()}, parts);
}

}  // namespace

Result<Tokenizer> Tokenizer::Parse(std::string_view tokenizer_json, std::string_view config_json,
                                   const std::string& name) {
  EBB_ASSIGN_OR_RETURN(TokenizerParts parts, ParseTokenizerFile(tokenizer_json, name));
  if (!config_json.empty())
    EBB_RETURN_IF_ERROR(ParseTokenizerConfig(config_json, kConfigFile, parts));
  return Tokenizer(std::make_shared<const TokenizerParts>(std::move(parts)));
}

Result<Tokenizer> Tokenizer::Load(const platform::Path& path, TokenizerRules rules) {
  const platform::Path file = platform::IsDirectory(path) ? path / kFile : path;
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file));
  EBB_ASSIGN_OR_RETURN(TokenizerParts parts, ParseTokenizerFile(text, file.string()));
  const platform::Path folder = file.parent_path();
  EBB_RETURN_IF_ERROR(ReadConfigs(folder, rules, parts));
  if (platform::Exists(folder / kTemplateFile)) {
    EBB_ASSIGN_OR_RETURN(parts.chat_template, platform::ReadFile(folder / kTemplateFile));
  }
  return Tokenizer(std::make_shared<const TokenizerParts>(std::move(parts)));
}

Result<std::vector<TokenId>> Tokenizer::Encode(std::string_view text, SpecialTokens special) const {
  std::string repaired;
  if (!IsUtf8(text)) text = repaired = AsUtf8(text);
  const bool around = special == SpecialTokens::kIncluded;
  std::vector<TokenId> ids;
  if (around) ids = parts_->before;
  for (const TextSegment& segment : parts_->added.FindInText(text)) {
    const auto [begin, end] = segment.range;
    if (segment.token)
      ids.push_back(*segment.token);
    else
      EBB_RETURN_IF_ERROR(EncodeSegment(*parts_, text.substr(begin, end - begin), begin == 0, ids));
  }
  if (around) ids.insert(ids.end(), parts_->after.begin(), parts_->after.end());
  return ids;
}

Result<std::string> Tokenizer::Decode(std::span<const TokenId> ids, SpecialTokens special) const {
  std::vector<std::string> tokens;
  tokens.reserve(ids.size());
  for (const TokenId id : ids) {
    const AddedToken* added = parts_->added.Find(id);
    if (added != nullptr && added->special && special == SpecialTokens::kLeftOut) continue;
    if (added != nullptr)
      tokens.push_back(added->in_text);
    else if (const std::string* text = parts_->model.vocabulary().TextOf(id))
      tokens.push_back(*text);
  }
  EBB_ASSIGN_OR_RETURN(const std::string text, DecodeTokens(parts_->decoder, std::move(tokens)));
  return AsUtf8(text);
}

const SpecialIds& Tokenizer::special() const { return parts_->special; }

const std::vector<TokenId>& Tokenizer::before() const { return parts_->before; }

const std::vector<TokenId>& Tokenizer::after() const { return parts_->after; }

std::optional<TokenId> Tokenizer::Find(std::string_view token) const {
  const auto added = parts_->added.Find(token);
  return added ? added : parts_->model.vocabulary().Find(token);
}

std::optional<std::string> Tokenizer::TokenText(TokenId id) const {
  if (const AddedToken* added = parts_->added.Find(id)) return added->content;
  const std::string* text = parts_->model.vocabulary().TextOf(id);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

TokenId Tokenizer::id_limit() const { return parts_->id_limit; }

const std::optional<std::string>& Tokenizer::chat_template() const { return parts_->chat_template; }

}  // namespace ebb::train
