#include "train/text/tokenizer/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/text.h"
#include "train/text/tokenizer/pattern_syntax.h"

namespace ebb::train {
namespace {

constexpr std::size_t kMaxExpressionBytes = 64 * 1024;

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatch {
  void operator()(pcre2_match_data* match) const { pcre2_match_data_free(match); }
};
struct FreeContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

std::string LibraryMessage(int code) {
  std::string text(256, '\0');
  const int length =
      pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(text.data()), text.size());
  text.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
  return text;
}

PCRE2_SPTR Bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::size_t AfterCharacter(std::string_view text, std::size_t at) {
  do {
    ++at;
  } while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80);
  return at;
}

tl::unexpected<Error> Refused(const std::string& expression, std::string why) {
  return Fail(
      {ExitCode::kConfiguration,
       "the regular expression " + Quoted(expression) + " is not supported: " + std::move(why), "",
       ""});
}

}  // namespace

struct Pattern::Compiled {
  std::unique_ptr<pcre2_code, FreeCode> code;
  std::string expression;
};

Result<Pattern> Pattern::Compile(const std::string& expression) {
  if (expression.size() > kMaxExpressionBytes)
    return Refused(expression, "it is longer than 64 KiB");
  const auto translated = AsPcre2(expression);
  if (!translated) return Refused(expression, translated.error().what);
  return Make(expression, *translated);
}

Result<Pattern> Pattern::CompilePcre2(const std::string& expression) {
  if (expression.size() > kMaxExpressionBytes)
    return Refused(expression, "it is longer than 64 KiB");
  return Make(expression, expression);
}

Result<Pattern> Pattern::Make(const std::string& shown, const std::string& translated) {
  const std::unique_ptr<pcre2_compile_context, FreeContext> context(
      pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_parens_nest_limit(context.get(), 100);
  int error = 0;
  PCRE2_SIZE where = 0;
  auto compiled = std::make_shared<Compiled>();
  compiled->expression = shown;
  // Oniguruma's ^ and $ match at lines, hence PCRE2_MULTILINE.
  compiled->code.reset(
      pcre2_compile(Bytes(translated), translated.size(),
                    PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error,
                    &where, context.get()));
  if (!compiled->code) return Refused(shown, LibraryMessage(error));
  // If PCRE2 cannot compile machine code for this processor, it interprets.
  pcre2_jit_compile(compiled->code.get(), PCRE2_JIT_COMPLETE);
  return Pattern(std::move(compiled));
}

Result<Pattern> Pattern::Literal(const std::string& text) {
  std::string expression;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (!plain) expression += '\\';
    expression += c;
  }
  return Compile(expression);
}

Result<std::vector<TextRange>> Pattern::Matches(std::string_view text) const {
  std::vector<TextRange> matches;
  const pcre2_code* code = compiled_->code.get();
  // Each thread reuses one, because a text has thousands of short pieces.
  thread_local const std::unique_ptr<pcre2_match_data, FreeMatch> match(
      pcre2_match_data_create(1, nullptr));
  std::size_t at = 0;
  while (at <= text.size()) {
    int found =
        pcre2_match(code, Bytes(text), text.size(), at, PCRE2_NO_UTF_CHECK, match.get(), nullptr);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT)
      found = pcre2_match(code, Bytes(text), text.size(), at, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                          match.get(), nullptr);
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0)
      return Fail({ExitCode::kConfiguration,
                   "the regular expression " + Quoted(compiled_->expression) +
                       " cannot be matched: " + LibraryMessage(found),
                   "", ""});
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    const TextRange range{ends[0], ends[1]};
    // \K can put the beginning of a match behind its end, or before the last match.
    if (range.begin > range.end || range.begin < (matches.empty() ? 0 : matches.back().end)) break;
    const bool empty_again =
        range.begin == range.end && !matches.empty() && matches.back().end == range.end;
    if (!empty_again) matches.push_back(range);
    at = range.begin == range.end ? AfterCharacter(text, range.end) : range.end;
  }
  return matches;
}

}  // namespace ebb::train
