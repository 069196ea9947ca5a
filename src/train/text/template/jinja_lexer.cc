#include "train/text/template/jinja_lexer.h"

#include <algorithm>
#include <array>

#include "train/text/tokenizer/unicode.h"
#include "train/text/tokenizer/utf8.h"

namespace ebb::train::jinja {
namespace {

tl::unexpected<Error> Refused(std::string what, std::size_t line) {
  return Fail({ExitCode::kConfiguration,
               "line " + std::to_string(line) + " of the template: " + std::move(what), "", ""});
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool BeginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::array<std::string_view, 8> kLongOperators{
    "==", "!=", "<=", ">=", "//", "**", "{%", "%}"};
constexpr std::string_view kOperators = "+-*/%<>=.,:|~()[]{}";

class TagLexer {
 public:
  TagLexer(std::string_view text, std::size_t line) : text_(text), line_(line) {}

  Result<std::vector<Token>> Run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (IsBlank(c) || c == '\n' || c == '\r') {
        ++at_;
      } else if (c == '"' || c == '\'') {
        EBB_RETURN_IF_ERROR(TakeText());
      } else if (BeginsName(c)) {
        Take(Token::Kind::kName, EndOf([](char x) { return BeginsName(x) || IsDigit(x); }));
      } else if (IsDigit(c)) {
        TakeNumber();
      } else {
        EBB_RETURN_IF_ERROR(TakeOperator());
      }
    }
    tokens_.push_back({});
    return std::move(tokens_);
  }

 private:
  template <typename Belongs>
  std::size_t EndOf(Belongs belongs) const {
    std::size_t end = at_;
    while (end < text_.size() && belongs(text_[end])) ++end;
    return end;
  }
  void Take(Token::Kind kind, std::size_t end) {
    tokens_.push_back({kind, std::string(text_.substr(at_, end - at_))});
    at_ = end;
  }
  void TakeNumber() {
    std::size_t end = EndOf(IsDigit);
    Token::Kind kind = Token::Kind::kInteger;
    if (end + 1 < text_.size() && text_[end] == '.' && IsDigit(text_[end + 1])) {
      kind = Token::Kind::kFloat;
      ++end;
      while (end < text_.size() && IsDigit(text_[end])) ++end;
    }
    Take(kind, end);
  }
  Status TakeText() {
    const char quote = text_[at_++];
    std::string text;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\') {
        text += text_[at_];
        continue;
      }
      if (++at_ == text_.size()) break;
      const char c = text_[at_];
      if (c == 'n')
        text += '\n';
      else if (c == 't')
        text += '\t';
      else if (c == 'r')
        text += '\r';
      else if (c == '\\' || c == '\'' || c == '"')
        text += c;
      else
        return Refused(std::string("the escape \\") + c + " is not supported", line_);
    }
    if (at_ == text_.size()) return Refused("a text in quotes never ends", line_);
    ++at_;
    tokens_.push_back({Token::Kind::kText, std::move(text)});
    return {};
  }
  Status TakeOperator() {
    for (const std::string_view candidate : kLongOperators) {
      if (!text_.substr(at_).starts_with(candidate)) continue;
      Take(Token::Kind::kOperator, at_ + candidate.size());
      return {};
    }
    if (kOperators.find(text_[at_]) == kOperators.npos)
      return Refused(std::string("the character ") + text_[at_] + " is not expected in a tag",
                     line_);
    Take(Token::Kind::kOperator, at_ + 1);
    return {};
  }

  std::string_view text_;
  std::size_t line_, at_ = 0;
  std::vector<Token> tokens_;
};

std::string_view WithoutTrailing(std::string_view text, bool line_breaks) {
  if (line_breaks) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < text.size();) {
      if (!IsSpace(TakeCodePoint(text, at))) end = at;
    }
    return text.substr(0, end);
  }
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

class TemplateCutter {
 public:
  explicit TemplateCutter(std::string_view text) : text_(text) {
    // One line break at the end does not belong to a template.
    if (text_.ends_with('\n')) text_.remove_suffix(1);
    if (text_.ends_with('\r')) text_.remove_suffix(1);
  }

  Result<std::vector<Segment>> Run() {
    while (at_ < text_.size()) {
      const std::size_t open = NextTag();
      TakeText(open);
      if (open == text_.size()) break;
      EBB_RETURN_IF_ERROR(TakeTag());
    }
    return std::move(segments_);
  }

 private:
  std::size_t NextTag() const {
    for (std::size_t at = text_.find('{', at_); at != text_.npos; at = text_.find('{', at + 1)) {
      const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') return at;
    }
    return text_.size();
  }

  std::size_t LineAt(std::size_t at) const {
    return 1 + static_cast<std::size_t>(std::count(
                   text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }

  // Takes the text before the tag at `open`, without the whitespace that the tag strips.
  void TakeText(std::size_t open) {
    std::string_view text = text_.substr(at_, open - at_);
    if (strip_next_) {
      std::size_t begin = 0;
      for (std::size_t at = 0; at < text.size() && IsSpace(TakeCodePoint(text, at));) begin = at;
      text.remove_prefix(begin);
    } else if (trim_next_ && text.starts_with('\n')) {
      text.remove_prefix(1);
    } else if (trim_next_ && text.starts_with("\r\n")) {
      text.remove_prefix(2);
    }
    const char mark = open + 2 < text_.size() ? text_[open + 2] : '\0';
    if (open < text_.size() && mark == '-') {
      text = WithoutTrailing(text, true);
    } else if (open < text_.size() && mark != '+' && text_[open + 1] != '{') {
      // A block at the beginning of its line also strips the blanks before it.
      const std::string_view bare = WithoutTrailing(text, false);
      const bool line_begins = bare.empty() ? text.data() == text_.data() || text.data()[-1] == '\n'
                                            : bare.back() == '\n';
      if (line_begins) text = bare;
    }
    if (!text.empty())
      segments_.push_back({Segment::Kind::kText, std::string(text), {}, LineAt(at_)});
    at_ = open;
  }

  // Finds the end of the tag outside of quotes and brackets, because braces in these look like an
  // end.
  std::size_t EndOfTag(std::string_view closing) const {
    if (closing == "#}") return text_.find(closing, at_ + 2);
    char quote = '\0';
    int open = 0;
    for (std::size_t at = at_ + 2; at + 1 < text_.size(); ++at) {
      const char c = text_[at];
      if (quote != '\0') {
        if (c == '\\')
          ++at;
        else if (c == quote)
          quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (open == 0 && text_.substr(at, 2) == closing) {
        return at;
      } else if (c == '(' || c == '[' || c == '{') {
        ++open;
      } else if (open > 0 && (c == ')' || c == ']' || c == '}')) {
        --open;
      }
    }
    return text_.npos;
  }

  Status TakeTag() {
    const char sort = text_[at_ + 1];
    const std::size_t line = LineAt(at_);
    const std::size_t end = EndOfTag(sort == '{' ? "}}" : sort == '%' ? "%}" : "#}");
    if (end == text_.npos) return Refused("a tag never ends", line);
    std::string_view inside = text_.substr(at_ + 2, end - at_ - 2);
    if (inside.starts_with('-') || inside.starts_with('+')) inside.remove_prefix(1);
    strip_next_ = inside.ends_with('-');
    const bool keep = inside.ends_with('+');
    trim_next_ = sort != '{' && !keep;
    if (strip_next_ || keep) inside.remove_suffix(1);
    at_ = end + 2;
    if (sort == '#') return {};
    EBB_ASSIGN_OR_RETURN(std::vector<Token> tokens, TagLexer(inside, line).Run());
    segments_.push_back({sort == '{' ? Segment::Kind::kPrint : Segment::Kind::kStatement, "",
                         std::move(tokens), line});
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool strip_next_ = false, trim_next_ = false;
  std::vector<Segment> segments_;
};

}  // namespace

Result<std::vector<Segment>> CutTemplate(std::string_view text) {
  return TemplateCutter(text).Run();
}

}  // namespace ebb::train::jinja
