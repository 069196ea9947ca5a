#pragma once
// Tokens that are found in the text itself before it is cut into pieces: the special ones (end of
// text, roles of a chat) and those that were added after training. Immutable: threads may share
// one.

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "train/text/tokenizer/byte_pairs.h"
#include "train/text/tokenizer/normalizer.h"

namespace ebb::train {

struct AddedToken {
  TokenId id = 0;
  std::string content;
  bool single_word = false;                      ///< not within a word
  bool left_strip = false, right_strip = false;  ///< also takes the adjacent spaces
  bool normalized = false;  ///< searched after normalization, itself normalized
  bool special = false;
  std::string in_text;  ///< form in the searched text; Make fills it in
};

/// A part of a text: a token, or text to be encoded (`token` is empty).
struct TextSegment {
  TextRange range;
  std::optional<TokenId> token;
};

class AddedTokens {
 public:
  AddedTokens() = default;
  static Result<AddedTokens> Make(std::vector<AddedToken> tokens, const Normalizer& normalizer);

  /// Returns the whole text in order. If several tokens begin at one place, the longest is taken.
  std::vector<TextSegment> FindInText(std::string_view text) const {
    return verbatim_.Find(text, tokens_);
  }
  std::vector<TextSegment> FindInNormalized(std::string_view text) const {
    return normalized_.Find(text, tokens_);
  }

  const std::vector<AddedToken>& tokens() const { return tokens_; }
  const AddedToken* Find(TokenId id) const;
  std::optional<TokenId> Find(std::string_view content) const;

 private:
  /// Contents by their first byte, longest first.
  class Finder {
   public:
    void Add(std::string content, std::size_t token);
    std::vector<TextSegment> Find(std::string_view text,
                                  const std::vector<AddedToken>& tokens) const;

   private:
    struct Entry {
      std::string content;
      std::size_t token = 0;
    };
    const Entry* At(std::string_view text, std::size_t at) const;
    std::array<std::vector<Entry>, 256> entries_;
  };

  std::vector<AddedToken> tokens_;
  std::map<TokenId, std::size_t> by_id_;
  std::map<std::string, std::size_t, std::less<>> by_content_;
  Finder verbatim_, normalized_;
};

}  // namespace ebb::train
