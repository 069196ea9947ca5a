// The reader of tokenizer.json. A part of the file that Ebb would treat otherwise than the
// `tokenizers` package is an Error that names the part, because a tokenizer that is nearly right
// trains a model that is quietly wrong.

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "train/text/tokenizer/tokenizer_parts.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

constexpr double kLargestId = 1 << 30;
constexpr TokenId kNextNumber = -1;  // stands for the next free number

using nlohmann::json;

constexpr int kMaxDepth = 8;  // nesting of sequences

tl::unexpected<Error> Refused(std::string what, std::string next = "") {
  return Fail({ExitCode::kConfiguration, std::move(what), "", std::move(next)});
}

tl::unexpected<Error> Unknown(const std::string& part, const std::string& type,
                              const std::string& known) {
  return Refused("the " + part + " " + Quoted(type) + " is not supported", "supported: " + known);
}

// nullptr if the node is not an object, or the member is missing or null.
const json* Member(const json& node, const char* name) {
  if (!node.is_object()) return nullptr;
  const auto found = node.find(name);
  return found == node.end() || found->is_null() ? nullptr : &*found;
}

std::string TextOf(const json& node, const char* name, const char* otherwise = "") {
  const json* member = Member(node, name);
  return member != nullptr && member->is_string() ? member->get<std::string>() : otherwise;
}

bool IsSet(const json& node, const char* name, bool otherwise) {
  const json* member = Member(node, name);
  return member != nullptr && member->is_boolean() ? member->get<bool>() : otherwise;
}

Result<TokenId> IdFrom(const json& node) {
  if (!node.is_number_integer() || node < 0 || node > Vocabulary::kMaxTokenId)
    return Refused("the number of a token is " +
                   Quoted(node.dump(-1, ' ', false, json::error_handler_t::replace)) +
                   ", not a whole number in 0.." + std::to_string(Vocabulary::kMaxTokenId));
  return node.get<TokenId>();
}

// Calls read(node) for a single step, or for each step of a sequence. `list` is the sequence's
// member.
template <typename Read>
Status ForEachStep(const json* node, const char* list, int depth, const Read& read) {
  if (node == nullptr) return {};
  if (!node->is_object()) return Refused("a step is not an object");
  if (TextOf(*node, "type") != "Sequence") return read(*node);
  if (depth == kMaxDepth) return Refused("sequences are nested too deep");
  const json* steps = Member(*node, list);
  if (steps == nullptr || !steps->is_array())
    return Refused("a sequence has no list " + Quoted(list));
  for (const json& step : *steps) EBB_RETURN_IF_ERROR(ForEachStep(&step, list, depth + 1, read));
  return {};
}

// Reads {"String": ...} or {"Regex": ...}.
Result<Pattern> ReadPattern(const json& step) {
  const json* pattern = Member(step, "pattern");
  if (pattern != nullptr && Member(*pattern, "Regex") != nullptr)
    return Pattern::Compile(TextOf(*pattern, "Regex"));
  const std::string literal = pattern == nullptr ? "" : TextOf(*pattern, "String");
  if (literal.empty()) return Refused("a step has no pattern");
  return Pattern::Literal(literal);
}

Status ReadNormalizerStep(const json& step, Normalizer& normalizer) {
  const std::string type = TextOf(step, "type");
  if (type == "NFC") {
    normalizer.emplace_back(NormalForm::kNfc);
  } else if (type == "NFD") {
    normalizer.emplace_back(NormalForm::kNfd);
  } else if (type == "NFKC") {
    normalizer.emplace_back(NormalForm::kNfkc);
  } else if (type == "NFKD") {
    normalizer.emplace_back(NormalForm::kNfkd);
  } else if (type == "Prepend") {
    normalizer.emplace_back(PrependText{TextOf(step, "prepend")});
  } else if (type == "Strip") {
    normalizer.emplace_back(
        StripSpaces{IsSet(step, "strip_left", true), IsSet(step, "strip_right", true)});
  } else if (type == "Replace") {
    EBB_ASSIGN_OR_RETURN(Pattern pattern, ReadPattern(step));
    normalizer.emplace_back(ReplaceMatches{std::move(pattern), TextOf(step, "content")});
  } else {
    return Unknown("normalizer", type, "NFC, NFD, NFKC, NFKD, Prepend, Replace, Strip, Sequence");
  }
  return {};
}

Result<SplitBehavior> ReadBehavior(const std::string& name) {
  if (name == "Removed") return SplitBehavior::kRemoved;
  if (name == "Isolated") return SplitBehavior::kIsolated;
  if (name == "MergedWithPrevious") return SplitBehavior::kMergedWithPrevious;
  if (name == "MergedWithNext") return SplitBehavior::kMergedWithNext;
  if (name == "Contiguous") return SplitBehavior::kContiguous;
  return Refused("the behaviour of a split is " + Quoted(name));
}

Result<ToMetaspace> ReadMetaspace(const json& step) {
  ToMetaspace metaspace;
  metaspace.replacement = TextOf(step, "replacement", "\u2581");
  if (metaspace.replacement.empty()) return Refused("Metaspace has no replacement");
  const std::string scheme =
      TextOf(step, "prepend_scheme", IsSet(step, "add_prefix_space", true) ? "always" : "never");
  if (scheme == "first") {
    metaspace.prepend = ToMetaspace::Prepend::kFirst;
  } else if (scheme == "never") {
    metaspace.prepend = ToMetaspace::Prepend::kNever;
  } else if (scheme != "always") {
    return Refused("Metaspace has the scheme " + Quoted(scheme));
  }
  metaspace.split = IsSet(step, "split", true);
  return metaspace;
}

Status ReadPreTokenizerStep(const json& step, PreTokenizer& pre_tokenizer) {
  const std::string type = TextOf(step, "type");
  if (type == "ByteLevel") {
    ToByteLetters bytes{IsSet(step, "add_prefix_space", true), std::nullopt};
    if (IsSet(step, "use_regex", true)) {
      EBB_ASSIGN_OR_RETURN(bytes.pattern, Pattern::Compile(kByteLevelExpression));
    }
    pre_tokenizer.emplace_back(std::move(bytes));
  } else if (type == "Split") {
    EBB_ASSIGN_OR_RETURN(Pattern pattern, ReadPattern(step));
    EBB_ASSIGN_OR_RETURN(const SplitBehavior behavior, ReadBehavior(TextOf(step, "behavior")));
    pre_tokenizer.emplace_back(
        SplitAtMatches{std::move(pattern), behavior, IsSet(step, "invert", false)});
  } else if (type == "Digits") {
    pre_tokenizer.emplace_back(SplitDigits{IsSet(step, "individual_digits", false)});
  } else if (type == "Metaspace") {
    EBB_ASSIGN_OR_RETURN(ToMetaspace metaspace, ReadMetaspace(step));
    pre_tokenizer.emplace_back(std::move(metaspace));
  } else {
    return Unknown("pre_tokenizer", type, "ByteLevel, Split, Digits, Metaspace, Sequence");
  }
  return {};
}

Status ReadDecoderStep(const json& step, TokenDecoder& decoder) {
  const std::string type = TextOf(step, "type");
  if (type == "ByteLevel") {
    decoder.emplace_back(FromByteLetters{});
  } else if (type == "ByteFallback") {
    decoder.emplace_back(FromByteTokens{});
  } else if (type == "Fuse") {
    decoder.emplace_back(JoinTokens{});
  } else if (type == "Replace") {
    EBB_ASSIGN_OR_RETURN(Pattern pattern, ReadPattern(step));
    decoder.emplace_back(ReplaceInTokens{std::move(pattern), TextOf(step, "content")});
  } else if (type == "Strip") {
    const auto count = [&](const char* name) -> std::size_t {
      const json* member = Member(step, name);
      return member != nullptr && member->is_number_unsigned() ? member->get<std::size_t>() : 0;
    };
    StripFromTokens strip{TextOf(step, "content"), count("start"), count("stop")};
    if (strip.character.empty()) return Refused("the decoder Strip has no content");
    decoder.emplace_back(std::move(strip));
  } else if (type == "Metaspace") {
    EBB_ASSIGN_OR_RETURN(const ToMetaspace metaspace, ReadMetaspace(step));
    decoder.emplace_back(
        FromMetaspace{metaspace.replacement, metaspace.prepend != ToMetaspace::Prepend::kNever});
  } else {
    return Unknown("decoder", type,
                   "ByteLevel, ByteFallback, Fuse, Replace, Strip, Metaspace, Sequence");
  }
  return {};
}

// The ids of one special token of a template.
Result<std::vector<TokenId>> TemplateIds(const json& step, const std::string& token) {
  const json* known = Member(step, "special_tokens");
  const json* entry = known == nullptr ? nullptr : Member(*known, token.c_str());
  const json* list = entry == nullptr ? nullptr : Member(*entry, "ids");
  if (list == nullptr || !list->is_array())
    return Refused("the template of the post_processor has no ids for " + Quoted(token));
  std::vector<TokenId> ids;
  for (const json& number : *list) {
    EBB_ASSIGN_OR_RETURN(const TokenId id, IdFrom(number));
    ids.push_back(id);
  }
  return ids;
}

Status ReadTemplate(const json& step, TokenizerParts& parts) {
  const json* pieces = Member(step, "single");
  if (pieces == nullptr || !pieces->is_array())
    return Refused("the template of the post_processor has no list \"single\"");
  std::vector<TokenId> before, after;
  bool text_seen = false;
  for (const json& piece : *pieces) {
    if (const json* special = Member(piece, "SpecialToken")) {
      EBB_ASSIGN_OR_RETURN(const std::vector<TokenId> ids,
                           TemplateIds(step, TextOf(*special, "id")));
      std::vector<TokenId>& side = text_seen ? after : before;
      side.insert(side.end(), ids.begin(), ids.end());
    } else if (const json* text = Member(piece, "Sequence");
               text != nullptr && TextOf(*text, "id") == "A" && !text_seen) {
      text_seen = true;
    } else {
      return Refused("the template of the post_processor has a piece that is not supported");
    }
  }
  if (!text_seen) return Refused("the template of the post_processor has no text");
  parts.before.insert(parts.before.begin(), before.begin(), before.end());
  parts.after.insert(parts.after.end(), after.begin(), after.end());
  return {};
}

Status ReadPostProcessorStep(const json& step, TokenizerParts& parts) {
  const std::string type = TextOf(step, "type");
  if (type == "ByteLevel") return {};  // changes offsets only
  if (type == "TemplateProcessing") return ReadTemplate(step, parts);
  return Unknown("post_processor", type, "ByteLevel, TemplateProcessing, Sequence");
}

Result<Vocabulary> ReadVocabulary(const json& model) {
  const json* tokens = Member(model, "vocab");
  if (tokens == nullptr || !tokens->is_object()) return Refused("the model has no \"vocab\"");
  Vocabulary vocabulary;
  for (const auto& [text, number] : tokens->items()) {
    EBB_ASSIGN_OR_RETURN(const TokenId id, IdFrom(number));
    EBB_RETURN_IF_ERROR(vocabulary.Add(text, id));
  }
  if (vocabulary.size() == 0) return Refused("the model's \"vocab\" is empty");
  return vocabulary;
}

// Reads "left right" or ["left", "right"].
Result<std::pair<std::string, std::string>> ReadMergePair(const json& merge) {
  if (merge.is_string()) {
    const std::string& text = merge.get_ref<const std::string&>();
    const std::size_t space = text.find(' ');
    if (space != text.npos && text.find(' ', space + 1) == text.npos)
      return std::pair(text.substr(0, space), text.substr(space + 1));
  } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
             merge[1].is_string()) {
    return std::pair(merge[0].get<std::string>(), merge[1].get<std::string>());
  }
  return Refused("a merge is neither \"left right\" nor [\"left\", \"right\"]");
}

Result<std::vector<BytePairRules::Merge>> ReadMerges(const json& model,
                                                     const Vocabulary& vocabulary) {
  const json* list = Member(model, "merges");
  if (list == nullptr || !list->is_array()) return Refused("the model has no list \"merges\"");
  std::vector<BytePairRules::Merge> merges;
  merges.reserve(list->size());
  for (const json& entry : *list) {
    auto pair = ReadMergePair(entry);
    const std::string number = "merge " + std::to_string(merges.size() + 1) + ": ";
    if (!pair) return Refused(number + pair.error().what);
    const auto left = vocabulary.Find(pair->first), right = vocabulary.Find(pair->second);
    const auto result = vocabulary.Find(pair->first + pair->second);
    if (!left || !right || !result)
      return Refused(number + Quoted(pair->first) + " and " + Quoted(pair->second) +
                     " with their union are not all in the vocabulary");
    merges.push_back({*left, *right, *result});
  }
  return merges;
}

Result<BytePairs> ReadModel(const json& model) {
  const std::string type = TextOf(model, "type", Member(model, "merges") == nullptr ? "" : "BPE");
  if (type != "BPE") return Unknown("model", type, "BPE");
  for (const char* part : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!TextOf(model, part).empty())
      return Refused("the model's " + Quoted(part) + " is not supported");
  }
  if (const json* dropout = Member(model, "dropout"); dropout != nullptr && *dropout != 0.0)
    return Refused("the model's \"dropout\" is not supported",
                   "set it to null: it draws other tokens each time");
  EBB_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  BytePairRules rules;
  EBB_ASSIGN_OR_RETURN(rules.merges, ReadMerges(model, vocabulary));
  if (const std::string unknown = TextOf(model, "unk_token"); !unknown.empty()) {
    rules.unknown = vocabulary.Find(unknown);
    if (!rules.unknown)
      return Refused("the unk_token " + Quoted(unknown) + " is not in the vocabulary");
  }
  rules.fuse_unknown = IsSet(model, "fuse_unk", false);
  rules.byte_fallback = IsSet(model, "byte_fallback", false);
  rules.whole_words_first = IsSet(model, "ignore_merges", false);
  return BytePairs(std::move(vocabulary), rules);
}

// Reads all of an added token except the number.
AddedToken MarksOf(const json& node) {
  AddedToken token;
  token.content = TextOf(node, "content");
  token.special = IsSet(node, "special", false);
  token.single_word = IsSet(node, "single_word", false);
  token.left_strip = IsSet(node, "lstrip", false);
  token.right_strip = IsSet(node, "rstrip", false);
  token.normalized = IsSet(node, "normalized", !token.special);
  return token;
}

Result<AddedToken> ReadAddedToken(const json& node, const Vocabulary& vocabulary) {
  const json* number = Member(node, "id");
  AddedToken token = MarksOf(node);
  if (number == nullptr || token.content.empty())
    return Refused("an added token has no id or no content");
  EBB_ASSIGN_OR_RETURN(token.id, IdFrom(*number));
  const auto known = vocabulary.Find(token.content);
  const std::string* other = vocabulary.TextOf(token.id);
  if ((known && *known != token.id) || (other != nullptr && *other != token.content))
    return Refused("the added token " + Quoted(token.content) + " has the number " +
                   std::to_string(token.id) + ", which the vocabulary contradicts");
  return token;
}

Result<std::vector<AddedToken>> ReadAddedTokens(const json& root, const Vocabulary& vocabulary) {
  std::vector<AddedToken> tokens;
  const json* list = Member(root, "added_tokens");
  if (list == nullptr) return tokens;
  if (!list->is_array()) return Refused("\"added_tokens\" is not a list");
  for (const json& node : *list) {
    EBB_ASSIGN_OR_RETURN(AddedToken token, ReadAddedToken(node, vocabulary));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

TokenId IdLimit(const Vocabulary& vocabulary, const std::vector<AddedToken>& added) {
  TokenId limit = vocabulary.id_limit();
  for (const AddedToken& token : added) limit = std::max(limit, token.id + 1);
  return limit;
}

Result<TokenizerParts> ReadParts(const json& root) {
  const json* model = Member(root, "model");
  if (model == nullptr) return Refused("there is no \"model\"");
  EBB_ASSIGN_OR_RETURN(BytePairs pairs, ReadModel(*model));
  TokenizerParts parts{{}, {}, std::move(pairs), {}, {}, {}, {}, 0, {}, {}};
  EBB_RETURN_IF_ERROR(
      ForEachStep(Member(root, "normalizer"), "normalizers", 0,
                  [&](const json& step) { return ReadNormalizerStep(step, parts.normalizer); }));
  EBB_RETURN_IF_ERROR(ForEachStep(
      Member(root, "pre_tokenizer"), "pretokenizers", 0,
      [&](const json& step) { return ReadPreTokenizerStep(step, parts.pre_tokenizer); }));
  EBB_RETURN_IF_ERROR(
      ForEachStep(Member(root, "post_processor"), "processors", 0,
                  [&](const json& step) { return ReadPostProcessorStep(step, parts); }));
  EBB_RETURN_IF_ERROR(ForEachStep(Member(root, "decoder"), "decoders", 0, [&](const json& step) {
    return ReadDecoderStep(step, parts.decoder);
  }));
  EBB_ASSIGN_OR_RETURN(std::vector<AddedToken> added,
                       ReadAddedTokens(root, parts.model.vocabulary()));
  parts.id_limit = IdLimit(parts.model.vocabulary(), added);
  EBB_ASSIGN_OR_RETURN(parts.added, AddedTokens::Make(std::move(added), parts.normalizer));
  return parts;
}

// Reads a token that is given as its text, or as an object with the text.
std::string TokenNamed(const json& root, const char* role) {
  const json* token = Member(root, role);
  return token != nullptr && token->is_object() ? TextOf(*token, "content") : TextOf(root, role);
}

Result<json> ParseRoot(std::string_view text, const std::string& name) {
  json root = json::parse(text, nullptr, false);
  if (root.is_discarded() || !root.is_object())
    return Fail({ExitCode::kConfiguration, "is not a JSON object", name, "fetch the file again"});
  return root;
}

}  // namespace

Result<TokenizerParts> ParseTokenizerFile(std::string_view text, const std::string& name) {
  EBB_ASSIGN_OR_RETURN(const json root, ParseRoot(text, name));
  auto parts = ReadParts(root);
  if (!parts) parts.error().where = name;
  return parts;
}

namespace {

// Tokens that only this file has, in the order in which transformers adds them: those of
// added_tokens_decoder by their numbers, then further special ones.
Result<std::vector<AddedToken>> TokensOfConfig(const json& root) {
  std::map<TokenId, AddedToken> by_number;
  if (const json* decoder = Member(root, "added_tokens_decoder"); decoder && decoder->is_object())
    for (const auto& [number, node] : decoder->items()) {
      AddedToken token = MarksOf(node);
      const auto id = ParseNumber(number);
      if (!id || *id < 0 || *id > kLargestId || token.content.empty())
        return Refused("added_tokens_decoder has a token without a number or a content");
      token.id = static_cast<TokenId>(*id);
      by_number[token.id] = std::move(token);
    }
  std::vector<AddedToken> tokens;
  for (auto& [number, token] : by_number) tokens.push_back(std::move(token));
  for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
    const json* list = Member(root, key);
    if (list == nullptr || !(list->is_array() || list->is_object())) continue;
    for (const json& node : *list) {
      AddedToken token = node.is_object() ? MarksOf(node) : AddedToken{};
      if (node.is_string()) token.content = node.get<std::string>();
      if (token.content.empty()) continue;
      token.special = true;
      token.id = kNextNumber;
      tokens.push_back(std::move(token));
    }
  }
  return tokens;
}

// A token of the vocabulary keeps its number; others get the next ones.
Status AddTokens(std::vector<AddedToken> tokens, TokenizerParts& parts) {
  std::vector<AddedToken> added = parts.added.tokens();
  for (AddedToken& token : tokens) {
    if (std::ranges::find(added, token.content, &AddedToken::content) != added.end()) continue;
    const TokenId number = parts.model.vocabulary().Find(token.content).value_or(parts.id_limit);
    if (token.id != kNextNumber && token.id != number)
      return Refused("the added token " + Quoted(token.content) + " has the number " +
                     std::to_string(token.id) + ", but tokenizer.json leads to " +
                     std::to_string(number));
    token.id = number;
    parts.id_limit = std::max(parts.id_limit, number + 1);
    added.push_back(std::move(token));
  }
  if (added.size() == parts.added.tokens().size()) return {};
  EBB_ASSIGN_OR_RETURN(parts.added, AddedTokens::Make(std::move(added), parts.normalizer));
  return {};
}

}  // namespace

Status ParseTokenizerConfig(std::string_view text, const std::string& name, TokenizerParts& parts) {
  EBB_ASSIGN_OR_RETURN(const json root, ParseRoot(text, name));
  auto tokens = TokensOfConfig(root);
  Status added = tokens ? AddTokens(*std::move(tokens), parts) : Status(Fail(tokens.error()));
  if (!added) {
    added.error().where = name;
    return added;
  }
  const auto find = [&](const char* role, std::optional<TokenId>& id) {
    const std::string token = TokenNamed(root, role);
    if (token.empty()) return;
    id = parts.added.Find(token);
    if (!id) id = parts.model.vocabulary().Find(token);
  };
  find("bos_token", parts.special.begin);
  find("eos_token", parts.special.end);
  find("pad_token", parts.special.padding);
  find("unk_token", parts.special.unknown);
  const json* chat = Member(root, "chat_template");
  if (chat != nullptr && chat->is_string()) parts.chat_template = chat->get<std::string>();
  if (chat != nullptr && chat->is_array()) {  // several templates by name
    for (const json& entry : *chat) {
      if (TextOf(entry, "name") == "default") parts.chat_template = TextOf(entry, "template");
    }
  }
  return {};
}

}  // namespace ebb::train
