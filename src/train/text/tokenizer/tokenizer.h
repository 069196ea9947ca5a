#pragma once
// Turns text into tokens and back, as the `tokenizers` package does with the same tokenizer.json:
// byte-level BPE as in the Qwen and Llama 3 families, and BPE with byte fallback as in Llama 2
// (docs/text-data.md). An Error at loading names a feature of the file that Ebb does not support. A
// Tokenizer is immutable and cheap to copy; threads may share one.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/text/tokenizer/byte_pairs.h"

namespace ebb::train {

/// The tokens with a special role that tokenizer_config.json (or special_tokens_map.json) names.
struct SpecialIds {
  std::optional<TokenId> begin, end, padding, unknown;
};

enum class SpecialTokens { kLeftOut, kIncluded };

/// The version of transformers that decides which tokens are around every text.
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
  /// Takes the text of tokenizer.json, and of tokenizer_config.json ("" if there is none).
  static Result<Tokenizer> Parse(std::string_view tokenizer_json, std::string_view config_json,
                                 const std::string& name);

  /// Bytes that are not UTF-8 count as U+FFFD. kIncluded adds the tokens that the tokenizer puts
  /// around every text (Llama: begin of text). An Error only if a regular expression takes too
  /// long.
  Result<std::vector<TokenId>> Encode(std::string_view text,
                                      SpecialTokens special = SpecialTokens::kIncluded) const;
  /// Leaves out numbers without a token, and with kLeftOut also special tokens. The text is always
  /// UTF-8.
  Result<std::string> Decode(std::span<const TokenId> ids,
                             SpecialTokens special = SpecialTokens::kLeftOut) const;

  const SpecialIds& special() const;
  /// The tokens that kIncluded puts around a text.
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
