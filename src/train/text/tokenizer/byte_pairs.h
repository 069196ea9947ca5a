#pragma once
// Byte-pair encoding (Sennrich et al. 2016): a word is cut into characters, then the neighbours
// that were merged earliest in training are joined again and again. Immutable: threads may share
// one.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"

namespace ebb::train {

using TokenId = std::int32_t;

/// Tokens and their numbers, one to one.
class Vocabulary {
 public:
  Vocabulary() = default;
  Vocabulary(Vocabulary&&) = default;
  Vocabulary& operator=(Vocabulary&&) = default;

  /// An Error if the number or the text exists already, or if the number is outside 0 ..
  /// kMaxTokenId.
  Status Add(std::string text, TokenId id);

  std::optional<TokenId> Find(std::string_view text) const;
  /// nullptr for a number that no token has.
  const std::string* TextOf(TokenId id) const;
  std::size_t size() const { return ids_.size(); }
  /// One more than the largest number.
  TokenId id_limit() const { return static_cast<TokenId>(texts_.size()); }

  static constexpr TokenId kMaxTokenId = (1 << 24) - 1;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  std::unordered_map<std::string, TokenId, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;  ///< indexed by number, pointers into ids_
};

struct BytePairRules {
  struct Merge {
    TokenId left = 0, right = 0, result = 0;
  };
  std::vector<Merge> merges;  ///< in order of priority; of equal pairs the last counts
  std::optional<TokenId> unknown;
  bool fuse_unknown = false;  ///< neighbours without a token are one unknown token
  bool byte_fallback =
      false;  ///< a character without a token is the tokens <0x..> of its bytes, if all exist
  bool whole_words_first = false;  ///< a word that is a token is not merged (`ignore_merges`)
};

class BytePairs {
 public:
  BytePairs(Vocabulary vocabulary, const BytePairRules& rules);

  /// Appends the tokens of one piece of text. A character without a token is dropped if there is no
  /// unknown token.
  void Encode(std::string_view piece, std::vector<TokenId>& ids) const;
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  struct Rule {
    std::uint64_t pair = kNoPair;
    std::uint32_t rank = 0;
    TokenId result = 0;
  };
  static constexpr std::uint64_t kNoPair = ~0ULL;

  void CutIntoCharacters(std::string_view piece, std::vector<TokenId>& symbols) const;
  bool AppendBytes(std::string_view character, std::vector<TokenId>& symbols) const;
  const Rule* FindRule(TokenId left, TokenId right) const;
  void MergeShort(std::vector<TokenId>& symbols) const;
  void MergeLong(std::vector<TokenId>& symbols) const;

  Vocabulary vocabulary_;
  std::vector<Rule> rules_;  ///< open addressing; the size is a power of two
  std::optional<TokenId> unknown_;
  bool fuse_unknown_, byte_fallback_, whole_words_first_;
  std::array<TokenId, 0x800> low_characters_{};  ///< by code point; kNoToken if none
  std::array<TokenId, 256> byte_tokens_{};
};

}  // namespace ebb::train
