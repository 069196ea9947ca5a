#include "train/text/tokenizer/normalizer.h"

#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

Result<std::string> Step(NormalForm form, std::string text) { return Normalized(text, form); }

Result<std::string> Step(const PrependText& step, std::string text) {
  return text.empty() ? std::move(text) : step.text + text;
}

Result<std::string> Step(const ReplaceMatches& step, std::string text) {
  EBB_ASSIGN_OR_RETURN(const std::vector<TextRange> matches, step.pattern.Matches(text));
  std::string result;
  std::size_t done = 0;
  for (const TextRange& match : matches) {
    result.append(text, done, match.begin - done);
    result += step.replacement;
    done = match.end;
  }
  return result.append(text, done);
}

Result<std::string> Step(const StripSpaces& step, std::string text) {
  return std::string(Stripped(text, step));
}

}  // namespace

std::string_view Stripped(std::string_view text, const StripSpaces& strip) {
  std::size_t begin = 0, end = 0;  // range between the spaces
  bool found = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (IsSpace(TakeCodePoint(text, at))) continue;
    if (!found) begin = here;
    found = true;
    end = at;
  }
  if (!found) return strip.left || strip.right ? std::string_view() : text;
  if (!strip.left) begin = 0;
  if (!strip.right) end = text.size();
  return text.substr(begin, end - begin);
}

Result<std::string> Normalize(const Normalizer& normalizer, std::string text) {
  for (const NormalizerStep& step : normalizer) {
    auto next = std::visit([&](const auto& known) { return Step(known, std::move(text)); }, step);
    if (!next) return next;
    text = *std::move(next);
  }
  return text;
}

}  // namespace ebb::train
