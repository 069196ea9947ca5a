#include "train/text/tokenizer/decoder.h"

#include <optional>

#include "base/text.h"
#include "train/text/tokenizer/byte_letters.h"
#include "train/text/tokenizer/normalizer.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

using Tokens = std::vector<std::string>;

std::optional<std::string> BytesOfLetters(std::string_view token) {
  std::string bytes;
  for (std::size_t at = 0; at < token.size();) {
    const auto byte = ByteOfLetter(TakeCodePoint(token, at));
    if (!byte) return std::nullopt;
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

Status Step(const FromByteLetters&, Tokens& tokens) {
  std::string bytes;
  for (const std::string& token : tokens) bytes += BytesOfLetters(token).value_or(token);
  tokens = {AsUtf8(bytes)};
  return {};
}

std::optional<char> ByteOfToken(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || !token.ends_with('>')) return std::nullopt;
  int value = 0;
  for (const char digit : token.substr(3, 2)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const std::size_t found =
        kDigits.find(digit >= 'A' && digit <= 'F' ? static_cast<char>(digit + 32) : digit);
    if (found == kDigits.npos) return std::nullopt;
    value = value * 16 + static_cast<int>(found);
  }
  return static_cast<char>(value);
}

// A run of bytes becomes text if it is UTF-8, otherwise one U+FFFD for each byte.
Status Step(const FromByteTokens&, Tokens& tokens) {
  Tokens result;
  std::string run;
  const auto end_run = [&] {
    if (run.empty()) return;
    if (IsUtf8(run)) {
      result.push_back(run);
    } else {
      std::string unknown;
      AppendCodePoint(unknown, kReplacementCharacter);
      result.insert(result.end(), run.size(), unknown);
    }
    run.clear();
  };
  for (std::string& token : tokens) {
    if (const auto byte = ByteOfToken(token)) {
      run += *byte;
    } else {
      end_run();
      result.push_back(std::move(token));
    }
  }
  end_run();
  tokens = std::move(result);
  return {};
}

Status Step(const JoinTokens&, Tokens& tokens) {
  tokens = {Join(tokens, "")};
  return {};
}

Status Step(const ReplaceInTokens& step, Tokens& tokens) {
  const Normalizer replace{ReplaceMatches{step.pattern, step.replacement}};
  for (std::string& token : tokens) {
    EBB_ASSIGN_OR_RETURN(token, Normalize(replace, std::move(token)));
  }
  return {};
}

Status Step(const StripFromTokens& step, Tokens& tokens) {
  for (std::string& token : tokens) {
    std::string_view rest = token;
    for (std::size_t i = 0; i < step.at_begin && rest.starts_with(step.character); ++i)
      rest.remove_prefix(step.character.size());
    for (std::size_t i = 0; i < step.at_end && rest.ends_with(step.character); ++i)
      rest.remove_suffix(step.character.size());
    token = std::string(rest);
  }
  return {};
}

// Removes only a space that was prepended to the whole text.
Status Step(const FromMetaspace& step, Tokens& tokens) {
  bool first = true;
  for (std::string& token : tokens) {
    std::string text;
    for (std::size_t at = 0; at < token.size();) {
      if (std::string_view(token).substr(at).starts_with(step.replacement)) {
        if (!(first && at == 0 && step.prepended)) text += ' ';
        at += step.replacement.size();
      } else {
        text += token[at++];
      }
    }
    token = std::move(text);
    first = false;
  }
  return {};
}

}  // namespace

Result<std::string> DecodeTokens(const TokenDecoder& decoder, std::vector<std::string> tokens) {
  if (decoder.empty()) return Join(tokens, " ");
  for (const DecoderStep& step : decoder)
    EBB_RETURN_IF_ERROR(std::visit([&](const auto& known) { return Step(known, tokens); }, step));
  return Join(tokens, "");
}

}  // namespace ebb::train
