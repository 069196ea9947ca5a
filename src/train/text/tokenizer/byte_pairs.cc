#include "train/text/tokenizer/byte_pairs.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <queue>

#include "base/text.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

constexpr TokenId kNoToken = -1;
constexpr std::uint32_t kNoRank = ~0U;
// Up to this length, looking at every pair again is faster than a queue.
constexpr std::size_t kShortSymbols = 48;

std::uint64_t PairOf(TokenId left, TokenId right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

std::size_t Slot(std::uint64_t pair, std::size_t mask) {
  pair *= 0x9e3779b97f4a7c15ULL;
  return static_cast<std::size_t>(pair ^ pair >> 32) & mask;
}

std::string ByteToken(std::size_t byte) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "<0x%02X>", static_cast<unsigned>(byte));
  return text.data();
}

}  // namespace

Status Vocabulary::Add(std::string text, TokenId id) {
  const auto refused = [&](std::string why) {
    return Fail({ExitCode::kConfiguration, "the token " + Quoted(text) + std::move(why), "", ""});
  };
  if (id < 0 || id > kMaxTokenId)
    return refused(" has the number " + std::to_string(id) + ", outside 0.." +
                   std::to_string(kMaxTokenId));
  const auto index = static_cast<std::size_t>(id);
  if (index < texts_.size() && texts_[index] != nullptr)
    return refused(" has the number of the token " + Quoted(*texts_[index]));
  const auto [place, is_new] = ids_.emplace(text, id);
  if (!is_new) return refused(" is there twice");
  if (index >= texts_.size()) texts_.resize(index + 1);
  texts_[index] = &place->first;
  return {};
}

std::optional<TokenId> Vocabulary::Find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* Vocabulary::TextOf(TokenId id) const {
  return id >= 0 && static_cast<std::size_t>(id) < texts_.size()
             ? texts_[static_cast<std::size_t>(id)]
             : nullptr;
}

BytePairs::BytePairs(Vocabulary vocabulary, const BytePairRules& rules)
    : vocabulary_(std::move(vocabulary)),
      rules_(std::bit_ceil(2 * rules.merges.size() + 2)),
      unknown_(rules.unknown),
      fuse_unknown_(rules.fuse_unknown),
      byte_fallback_(rules.byte_fallback),
      whole_words_first_(rules.whole_words_first) {
  const std::size_t mask = rules_.size() - 1;
  for (std::size_t i = 0; i < rules.merges.size(); ++i) {
    const BytePairRules::Merge& merge = rules.merges[i];
    const std::uint64_t pair = PairOf(merge.left, merge.right);
    std::size_t slot = Slot(pair, mask);
    while (rules_[slot].pair != kNoPair && rules_[slot].pair != pair) slot = (slot + 1) & mask;
    rules_[slot] = {pair, static_cast<std::uint32_t>(i), merge.result};
  }
  for (std::size_t i = 0; i < low_characters_.size(); ++i) {
    std::string character;
    AppendCodePoint(character, static_cast<char32_t>(i));
    low_characters_[i] = vocabulary_.Find(character).value_or(kNoToken);
  }
  for (std::size_t byte = 0; byte < byte_tokens_.size(); ++byte)
    byte_tokens_[byte] = vocabulary_.Find(ByteToken(byte)).value_or(kNoToken);
}

const BytePairs::Rule* BytePairs::FindRule(TokenId left, TokenId right) const {
  const std::size_t mask = rules_.size() - 1;
  const std::uint64_t pair = PairOf(left, right);
  for (std::size_t slot = Slot(pair, mask); rules_[slot].pair != kNoPair;
       slot = (slot + 1) & mask) {
    if (rules_[slot].pair == pair) return &rules_[slot];
  }
  return nullptr;
}

bool BytePairs::AppendBytes(std::string_view character, std::vector<TokenId>& symbols) const {
  const auto token = [&](char byte) { return byte_tokens_[static_cast<unsigned char>(byte)]; };
  if (std::any_of(character.begin(), character.end(),
                  [&](char byte) { return token(byte) == kNoToken; }))
    return false;
  for (const char byte : character) symbols.push_back(token(byte));
  return true;
}

void BytePairs::CutIntoCharacters(std::string_view piece, std::vector<TokenId>& symbols) const {
  bool unknown_before = false;
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t begin = at;
    const char32_t code_point = TakeCodePoint(piece, at);
    const std::string_view character = piece.substr(begin, at - begin);
    const TokenId token = code_point < low_characters_.size()
                              ? low_characters_[code_point]
                              : vocabulary_.Find(character).value_or(kNoToken);
    if (token != kNoToken) {
      symbols.push_back(token);
      unknown_before = false;
    } else if (byte_fallback_ && AppendBytes(character, symbols)) {
      unknown_before = false;
    } else if (unknown_) {
      if (!fuse_unknown_ || !unknown_before) symbols.push_back(*unknown_);
      unknown_before = true;
    }
  }
}

// Each round joins the leftmost of the pairs with the lowest rank.
void BytePairs::MergeShort(std::vector<TokenId>& symbols) const {
  // Entry i is for symbol i and its right neighbour.
  std::array<const Rule*, kShortSymbols> rules{};
  std::size_t count = symbols.size();
  const auto look = [&](std::size_t i) { rules[i] = FindRule(symbols[i], symbols[i + 1]); };
  for (std::size_t i = 0; i + 1 < count; ++i) look(i);
  while (count > 1) {
    std::uint32_t best = kNoRank;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (rules[i] != nullptr && rules[i]->rank < best) {
        best = rules[i]->rank;
        at = i;
      }
    }
    if (best == kNoRank) break;
    symbols[at] = rules[at]->result;
    --count;
    for (std::size_t i = at + 1; i < count; ++i) {
      symbols[i] = symbols[i + 1];
      if (i + 1 < count) rules[i] = rules[i + 1];
    }
    if (at > 0) look(at - 1);
    if (at + 1 < count) look(at);
  }
  symbols.resize(count);
}

// The same with a queue of pairs and a list of symbols: n log n for any input.
void BytePairs::MergeLong(std::vector<TokenId>& symbols) const {
  struct Candidate {
    std::uint32_t rank = 0, at = 0;
    TokenId left = 0, right = 0;  ///< the pair when queued; void if it has changed since
    bool operator>(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<std::uint32_t> next(count), previous(count);
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](std::uint32_t at) {
    if (at >= count || next[at] >= count) return;
    const TokenId left = symbols[at], right = symbols[next[at]];
    if (const Rule* rule = FindRule(left, right)) queue.push({rule->rank, at, left, right});
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1;
    previous[i] = i == 0 ? count : i - 1;
  }
  for (std::uint32_t i = 0; i + 1 < count; ++i) offer(i);
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    const std::uint32_t right = next[best.at];
    if (symbols[best.at] != best.left || right >= count || symbols[right] != best.right) continue;
    symbols[best.at] = FindRule(best.left, best.right)->result;
    symbols[right] = kNoToken;
    next[best.at] = next[right];
    if (next[right] < count) previous[next[right]] = best.at;
    offer(previous[best.at]);
    offer(best.at);
  }
  std::erase(symbols, kNoToken);
}

void BytePairs::Encode(std::string_view piece, std::vector<TokenId>& ids) const {
  if (whole_words_first_) {
    if (const auto whole = vocabulary_.Find(piece)) {
      ids.push_back(*whole);
      return;
    }
  }
  thread_local std::vector<TokenId> symbols;
  symbols.clear();
  CutIntoCharacters(piece, symbols);
  if (symbols.size() <= kShortSymbols)
    MergeShort(symbols);
  else
    MergeLong(symbols);
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}

}  // namespace ebb::train
