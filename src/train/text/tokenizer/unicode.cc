#include "train/text/tokenizer/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "train/text/tokenizer/unicode_additions.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train {
namespace {

struct CodePointRange {
  char32_t first = 0, last = 0;
};

// Characters whose normal forms utf8proc knows and the tables of `tokenizers` (about Unicode 9) do
// not: combining marks and decompositions that were added later. They stay unchanged, and no mark
// moves across them.
constexpr CodePointRange kLaterThanTokenizers[] = {
    {0x7fd, 0x7fd},     {0x898, 0x89f},     {0x8ca, 0x8d3},     {0x9fe, 0x9fe},
    {0xc3c, 0xc3c},     {0xd3b, 0xd3c},     {0xeba, 0xeba},     {0x11a7, 0x11a7},
    {0x1715, 0x1715},   {0x1abf, 0x1ace},   {0x1df6, 0x1dfa},   {0x32ff, 0x32ff},
    {0xa7f2, 0xa7f4},   {0xa82c, 0xa82c},   {0xab69, 0xab69},   {0x10781, 0x10785},
    {0x10787, 0x107b0}, {0x107b2, 0x107ba}, {0x10d24, 0x10d27}, {0x10eab, 0x10eac},
    {0x10efd, 0x10eff}, {0x10f46, 0x10f50}, {0x10f82, 0x10f85}, {0x11070, 0x11070},
    {0x1133b, 0x1133b}, {0x1145e, 0x1145e}, {0x11839, 0x1183a}, {0x11930, 0x11930},
    {0x11938, 0x11938}, {0x1193d, 0x1193e}, {0x11943, 0x11943}, {0x119e0, 0x119e0},
    {0x11a34, 0x11a34}, {0x11a47, 0x11a47}, {0x11a99, 0x11a99}, {0x11d42, 0x11d42},
    {0x11d44, 0x11d45}, {0x11d97, 0x11d97}, {0x11f41, 0x11f42}, {0x16ff0, 0x16ff1},
    {0x1e08f, 0x1e08f}, {0x1e130, 0x1e136}, {0x1e2ae, 0x1e2ae}, {0x1e2ec, 0x1e2ef},
    {0x1e4ec, 0x1e4ef}, {0x1f16c, 0x1f16c}, {0x1fbf0, 0x1fbf9}};

bool IsLater(char32_t code_point) {
  const auto* range = std::upper_bound(
      std::begin(kLaterThanTokenizers), std::end(kLaterThanTokenizers), code_point,
      [](char32_t value, const CodePointRange& candidate) { return value < candidate.first; });
  return range != std::begin(kLaterThanTokenizers) && code_point <= std::prev(range)->last;
}

utf8proc_option_t Options(NormalForm form) {
  int options = UTF8PROC_STABLE;
  options |=
      form == NormalForm::kNfc || form == NormalForm::kNfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
  if (form == NormalForm::kNfkc || form == NormalForm::kNfkd) options |= UTF8PROC_COMPAT;
  return static_cast<utf8proc_option_t>(options);
}

void AppendNormalized(std::string& result, std::string_view text, NormalForm form) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &mapped, Options(form));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(mapped, &std::free);
  if (length < 0)
    result += text;  // longer than the library can count
  else
    result.append(reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(length));
}

utf8proc_category_t CategoryOf(char32_t code_point) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
}

// The category of a character that utf8proc may not know yet, "" for others.
std::string_view AddedCategory(char32_t code_point) {
  const auto ranges = AssignedSinceUnicode14();
  const auto range = std::upper_bound(
      ranges.begin(), ranges.end(), code_point,
      [](char32_t value, const AssignedRange& candidate) { return value < candidate.first; });
  if (range == ranges.begin() || code_point > std::prev(range)->last) return "";
  return std::prev(range)->category;
}

bool Within(char32_t code_point, char32_t first, char32_t last) {
  return code_point >= first && code_point <= last;
}

}  // namespace

bool IsSpace(char32_t c) {
  return Within(c, 0x9, 0xd) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         Within(c, 0x2000, 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

bool IsWordCharacter(char32_t c) {
  const std::string_view added = AddedCategory(c);
  if (!added.empty()) return added[0] == 'L' || added[0] == 'M' || added == "Nd" || added == "Nl";
  switch (CategoryOf(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:  // joiners, and the circled and squared letters
      return c == 0x200c || c == 0x200d || Within(c, 0x24b6, 0x24e9) ||
             Within(c, 0x1f130, 0x1f149) || Within(c, 0x1f150, 0x1f169) ||
             Within(c, 0x1f170, 0x1f189);
  }
}

bool IsNumber(char32_t c) {
  if (const std::string_view added = AddedCategory(c); !added.empty()) return added[0] == 'N';
  const utf8proc_category_t category = CategoryOf(c);
  return category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL ||
         category == UTF8PROC_CATEGORY_NO;
}

std::string Normalized(std::string_view text, NormalForm form) {
  const bool ascii = std::all_of(text.begin(), text.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return std::string(text);
  std::string result;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t here = at;
    if (!IsLater(TakeCodePoint(text, at))) continue;
    AppendNormalized(result, text.substr(begin, here - begin), form);
    result += text.substr(here, at - here);
    begin = at;
  }
  AppendNormalized(result, text.substr(begin), form);
  return result;
}

}  // namespace ebb::train
