#include "cli/top/keys.h"

#include <algorithm>
#include <utility>

namespace ebb::cli {
namespace {

constexpr char kEscapeByte = '\x1b';

// The key of a whole sequence behind its escape: "[A", "OA", "[5~", "[1;5A".
Key KeyOf(std::string_view sequence) {
  constexpr std::pair<char, Key> kFinals[] = {
      {'A', Key::kUp}, {'B', Key::kDown}, {'H', Key::kHome}, {'F', Key::kEnd}};
  constexpr std::pair<char, Key> kNumbers[] = {{'1', Key::kHome},   {'4', Key::kEnd},
                                               {'5', Key::kPageUp}, {'6', Key::kPageDown},
                                               {'7', Key::kHome},   {'8', Key::kEnd}};
  const auto find = [](const auto& keys, char sought) {
    const auto found = std::ranges::find(keys, sought, &std::pair<char, Key>::first);
    return found == std::end(keys) ? Key::kOther : found->second;
  };
  if (sequence.size() < 2) return Key::kOther;  // a character typed with Alt
  if (sequence.back() != '~') return find(kFinals, sequence.back());
  return sequence.size() == 3 ? find(kNumbers, sequence[1]) : Key::kOther;
}

// The length of the sequence behind an escape; 0: its end has not come.
std::size_t LengthOf(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == 'O') return text.size() > 1 ? 2 : 0;
  if (text[0] != '[') return 1;
  const auto is_final = [](char c) { return c >= '@' && c <= '~'; };
  const auto end = std::find_if(text.begin() + 1, text.end(), is_final);
  return end == text.end() ? 0 : static_cast<std::size_t>(end - text.begin()) + 1;
}

}  // namespace

std::vector<KeyPress> KeyReader::Read(std::string_view typed) {
  std::string text = std::exchange(kept_, "");
  text += typed;
  std::vector<KeyPress> keys;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != kEscapeByte) {
      const bool is_plain = static_cast<unsigned char>(text[at]) < 0x80;
      keys.push_back(is_plain ? KeyPress{Key::kCharacter, text[at]} : KeyPress{});
      ++at;
      continue;
    }
    const std::string_view behind = std::string_view(text).substr(at + 1);
    const std::size_t length = LengthOf(behind);
    if (length == 0) {
      kept_ = text.substr(at);
      break;
    }
    keys.push_back({KeyOf(behind.substr(0, length))});
    at += 1 + length;
  }
  return keys;
}

std::vector<KeyPress> KeyReader::GiveUp() {
  const std::string kept = std::exchange(kept_, "");
  if (kept.empty()) return {};
  return {{kept.size() == 1 ? Key::kEscape : Key::kOther}};
}

}  // namespace ebb::cli
