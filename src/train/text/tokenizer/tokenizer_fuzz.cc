// Fuzz target: takes tokenizers that differ from one of ours in a few bytes, and any text. A
// tokenizer is refused with an Error, or gives numbers below its limit and decodes them to UTF-8.
// Our unchanged tokenizer gives every text back. The input is the edits, then a zero, then the
// text; an edit is a place (two bytes), the number of bytes to remove, the number of bytes to
// insert, and these bytes. Run: build/fuzz/bin/tokenizer_fuzz -max_total_time=60
#include "train/text/tokenizer/tokenizer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "train/text/tokenizer/utf8.h"

namespace {

using ebb::train::AsUtf8;
using ebb::train::SpecialTokens;
using ebb::train::Tokenizer;

// A tokenizer with a letter for each byte, as in byte-level BPE.
std::string ByteLevel() {
  std::string vocabulary;
  int id = 0;
  const auto add = [&](char32_t letter) {
    std::string text;
    if (letter == U'"' || letter == U'\\') text += '\\';
    ebb::train::AppendCodePoint(text, letter);
    vocabulary += (id == 0 ? "\"" : ",\"") + text + "\":" + std::to_string(id);
    ++id;
  };
  for (char32_t c = 0x21; c <= 0x7e; ++c) add(c);
  for (char32_t c = 0xa1; c <= 0x143; ++c)
    if (c != 0xad) add(c);
  add(0xad);
  return R"({"version":"1.0","added_tokens":[{"id":300,"content":"<|end|>","special":true,"single_word":false,)"
         R"("lstrip":false,"rstrip":false,"normalized":false}],"normalizer":{"type":"NFC"},)"
         R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":)"
         R"("(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false},)"
         R"({"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false}]},)"
         R"("post_processor":null,"decoder":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false},)"
         R"("model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":"",)"
         R"("end_of_word_suffix":"","fuse_unk":false,"byte_fallback":false,"vocab":{)" +
         vocabulary + R"(,"he":260,"ll":261},"merges":["h e","l l"]}})";
}

std::string Edited(std::string text, std::string_view edits) {
  constexpr std::size_t kHead = 4;
  while (edits.size() >= kHead) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(edits[i]); };
    const std::size_t at = (byte(0) * std::size_t{256} + byte(1)) % (text.size() + 1);
    const std::size_t comes = std::min<std::size_t>(byte(3), edits.size() - kHead);
    text.replace(at, byte(2), edits.substr(kHead, comes));
    edits.remove_prefix(kHead + comes);
  }
  return text;
}

void CheckTokens(const Tokenizer& tokenizer, const std::string& text) {
  const auto ids = tokenizer.Encode(text);
  if (!ids) return;
  for (const ebb::train::TokenId id : *ids) EBB_CHECK(id >= 0 && id < tokenizer.id_limit());
  const auto decoded = tokenizer.Decode(*ids, SpecialTokens::kIncluded);
  EBB_CHECK(!decoded || AsUtf8(*decoded) == *decoded);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string ours = ByteLevel();
  static const Tokenizer plain = Tokenizer::Parse(ours, "", "ours").value();
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), size);
  const std::string text = input.substr(std::min(end + 1, size));
  CheckTokens(plain, text);
  CheckTokens(plain, input);
  if (const auto whole = Tokenizer::Parse(input, "", "fuzz")) CheckTokens(*whole, text);
  // Edits may contain zeros, so the text for the edited tokenizer is the input itself.
  if (const auto edited = Tokenizer::Parse(Edited(ours, input), "", "fuzz"))
    CheckTokens(*edited, input);
  return 0;
}
