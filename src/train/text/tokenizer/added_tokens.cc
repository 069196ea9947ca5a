#include "train/text/tokenizer/added_tokens.h"

#include <algorithm>

#include "train/text/tokenizer/unicode.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

std::size_t BeginOfLastCharacter(std::string_view text) {
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

bool EndsWithWord(std::string_view text) {
  if (text.empty()) return false;
  std::size_t at = BeginOfLastCharacter(text);
  return IsWordCharacter(TakeCodePoint(text, at));
}

bool BeginsWithWord(std::string_view text) {
  std::size_t at = 0;
  return !text.empty() && IsWordCharacter(TakeCodePoint(text, at));
}

std::size_t BeginOfTrailingSpaces(std::string_view text) {
  while (!text.empty()) {
    const std::size_t last = BeginOfLastCharacter(text);
    std::size_t at = last;
    if (!IsSpace(TakeCodePoint(text, at))) break;
    text = text.substr(0, last);
  }
  return text.size();
}

std::size_t EndOfLeadingSpaces(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size() && IsSpace(TakeCodePoint(text, at));) end = at;
  return end;
}

}  // namespace

Result<AddedTokens> AddedTokens::Make(std::vector<AddedToken> tokens,
                                      const Normalizer& normalizer) {
  AddedTokens made;
  // Special tokens come first if two tokens have the same content, as in the `tokenizers` package.
  std::stable_partition(tokens.begin(), tokens.end(),
                        [](const AddedToken& token) { return token.special; });
  made.tokens_ = std::move(tokens);
  for (std::size_t i = 0; i < made.tokens_.size(); ++i) {
    AddedToken& token = made.tokens_[i];
    made.by_id_.emplace(token.id, i);
    made.by_content_.emplace(token.content, i);
    token.in_text = token.content;
    if (token.normalized) {
      EBB_ASSIGN_OR_RETURN(token.in_text, Normalize(normalizer, token.content));
    }
    (token.normalized ? made.normalized_ : made.verbatim_).Add(token.in_text, i);
  }
  return made;
}

const AddedToken* AddedTokens::Find(TokenId id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &tokens_[found->second];
}

std::optional<TokenId> AddedTokens::Find(std::string_view content) const {
  const auto found = by_content_.find(content);
  return found == by_content_.end() ? std::nullopt : std::optional(tokens_[found->second].id);
}

void AddedTokens::Finder::Add(std::string content, std::size_t token) {
  if (content.empty()) return;
  const auto first = static_cast<unsigned char>(content.front());
  std::vector<Entry>& entries = entries_[first];
  const auto place = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
    return entry.content.size() < content.size();
  });
  entries.insert(place, {std::move(content), token});
}

const AddedTokens::Finder::Entry* AddedTokens::Finder::At(std::string_view text,
                                                          std::size_t at) const {
  const std::string_view rest = text.substr(at);
  for (const Entry& entry : entries_[static_cast<unsigned char>(text[at])]) {
    if (rest.starts_with(entry.content)) return &entry;
  }
  return nullptr;
}

// Matches are successive ranges of the unchanged text; the spaces that they strip are taken from
// the text between them.
std::vector<TextSegment> AddedTokens::Finder::Find(std::string_view text,
                                                   const std::vector<AddedToken>& tokens) const {
  std::vector<TextSegment> segments;
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Entry* entry = At(text, at);
    if (entry == nullptr) {
      ++at;
      continue;
    }
    TextRange range{at, at + entry->content.size()};
    at = range.end;
    const AddedToken& token = tokens[entry->token];
    if (token.single_word &&
        (EndsWithWord(text.substr(0, range.begin)) || BeginsWithWord(text.substr(range.end))))
      continue;
    if (token.left_strip)
      range.begin = std::max(BeginOfTrailingSpaces(text.substr(0, range.begin)), done);
    if (token.right_strip) range.end += EndOfLeadingSpaces(text.substr(range.end));
    if (range.begin > done) segments.push_back({{done, range.begin}, std::nullopt});
    segments.push_back({range, token.id});
    done = range.end;
  }
  if (done < text.size()) segments.push_back({{done, text.size()}, std::nullopt});
  return segments;
}

}  // namespace ebb::train
