#pragma once
// Text to tokens and back, as the `tokenizers` package does it from the same tokenizer.json:
// byte-level BPE as the Qwen and Llama 3 families use it, and BPE with byte fallback as Llama 2
// does (docs/text-data.md). What such a file can hold and this does not know is named when it is
// read. A Tokenizer is immutable and cheap to copy; threads may share one.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/text/byte_pairs.h"

namespace ebb::train {

/// The tokens with a role of their own, as far as tokenizer_config.json (or
/// special_tokens_map.json) names them.
struct SpecialIds {
  std::optional<TokenId> begin, end, padding, unknown;
};

enum class SpecialTokens { kLeftOut, kIncluded };

/// Which version of transformers says what stands around every text.
enum class TokenizerRules {
  kTransformers5,  ///< post_processor of tokenizer.json
  kTransformers4,  ///< for the tokenizers of Llama and Gemma, tokenizer_config.json
};

struct TokenizerParts;

class Tokenizer {
 public:
  /// `path` is a folder with tokenizer.json, or that file. Errors have ExitCode::kConfiguration and
  /// name the file.
  static Result<Tokenizer> Load(const platform::Path& path,
                                TokenizerRules rules = TokenizerRules::kTransformers5);
  /// The text of tokenizer.json, and of tokenizer_config.json ("" where there is none).
  static Result<Tokenizer> Parse(std::string_view tokenizer_json, std::string_view config_json,
                                 const std::string& name);

  /// Bytes that are not UTF-8 count as U+FFFD. kIncluded: with what the tokenizer puts around every
  /// text (Llama: begin of text). An Error only where a regular expression takes too long.
  Result<std::vector<TokenId>> Encode(std::string_view text,
                                      SpecialTokens special = SpecialTokens::kIncluded) const;
  /// Numbers that no token has are left out; so are special tokens with kLeftOut. Always UTF-8.
  Result<std::string> Decode(std::span<const TokenId> ids,
                             SpecialTokens special = SpecialTokens::kLeftOut) const;

  const SpecialIds& special() const;
  /// What kIncluded puts around a text.
  const std::vector<TokenId>& before() const;
  const std::vector<TokenId>& after() const;
  std::optional<TokenId> Find(std::string_view token) const;
  /// The text of one token as the vocabulary has it; nothing for a number without a token.
  std::optional<std::string> TokenText(TokenId id) const;
  /// One more than the largest number of a token.
  TokenId id_limit() const;
  /// The Jinja template of chats, if tokenizer_config.json (or chat_template.jinja) has one.
  const std::optional<std::string>& chat_template() const;

 private:
  explicit Tokenizer(std::shared_ptr<const TokenizerParts> parts) : parts_(std::move(parts)) {}
  std::shared_ptr<const TokenizerParts> parts_;
};

}  // namespace ebb::train
