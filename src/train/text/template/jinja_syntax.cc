#include "train/text/template/jinja_syntax.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/text.h"
#include "train/text/template/jinja_lexer.h"

namespace ebb::train::jinja {
namespace {

using Kind = Expression::Kind;
constexpr int kMaxDepth = 60;  // nesting of expressions and of blocks
// The limit of operators in one tag: a chain becomes a nested tree, which is walked by recursion.
constexpr int kMaxOperators = 500;

ExpressionPointer Node(Kind kind, std::string name, std::vector<ExpressionPointer> children) {
  Expression node;
  node.kind = kind;
  node.name = std::move(name);
  node.children = std::move(children);
  return std::make_shared<const Expression>(std::move(node));
}

ExpressionPointer Literal(Value value) {
  Expression node;
  node.literal = std::move(value);
  return std::make_shared<const Expression>(std::move(node));
}

// Parses the expressions of one tag by Jinja's precedence: `~` binds tighter than `+`, filters and
// tests tightest.
class TagParser {
 public:
  explicit TagParser(const Segment& segment) : segment_(segment) {}

  bool IsName(std::string_view name) const { return Is(Token::Kind::kName, name); }
  bool IsOperator(std::string_view text) const { return Is(Token::Kind::kOperator, text); }
  bool AtEnd() const { return Now().kind == Token::Kind::kEnd; }
  bool TakeName(std::string_view name) { return IsName(name) && Advance(); }
  bool TakeOperator(std::string_view text) { return IsOperator(text) && Advance(); }

  Result<std::string> NeedName() {
    if (Now().kind != Token::Kind::kName) return Refused("a name is missing");
    std::string name = Now().text;
    Advance();
    return name;
  }
  Status NeedOperator(std::string_view text) {
    if (!TakeOperator(text)) return Refused("\"" + std::string(text) + "\" is missing");
    return {};
  }
  Status NeedEnd() const {
    if (!AtEnd()) return Refused(Quoted(Now().text) + " is not expected");
    return {};
  }
  tl::unexpected<Error> Refused(std::string what) const {
    return Fail({ExitCode::kConfiguration,
                 "line " + std::to_string(segment_.line) + " of the template: " + std::move(what),
                 "", ""});
  }

  // Parses `a if b else c`.
  Result<ExpressionPointer> Parse() {
    if (++depth_ > kMaxDepth) return Refused("expressions are nested too deep");
    EBB_ASSIGN_OR_RETURN(ExpressionPointer value, ParseOr());
    while (TakeName("if")) {
      EBB_RETURN_IF_ERROR(CountOperator());
      EBB_ASSIGN_OR_RETURN(ExpressionPointer condition, ParseOr());
      ExpressionPointer otherwise;
      if (TakeName("else")) {
        EBB_ASSIGN_OR_RETURN(otherwise, Parse());
      }
      value = Node(Kind::kConditional, "", {value, condition, otherwise});
    }
    --depth_;
    return value;
  }

  // Parses an expression without a conditional, such as the sequence of a for loop.
  Result<ExpressionPointer> ParseOr() {
    EBB_ASSIGN_OR_RETURN(ExpressionPointer left, ParseAnd());
    while (TakeName("or")) {
      EBB_RETURN_IF_ERROR(CountOperator());
      EBB_ASSIGN_OR_RETURN(ExpressionPointer right, ParseAnd());
      left = Node(Kind::kOr, "", {left, right});
    }
    return left;
  }

  Result<std::vector<Argument>> ParseArguments() {
    std::vector<Argument> arguments;
    while (!TakeOperator(")")) {
      if (!arguments.empty()) {
        EBB_RETURN_IF_ERROR(NeedOperator(","));
        if (TakeOperator(")")) break;
      }
      Argument argument;
      if (Now().kind == Token::Kind::kName && Following().kind == Token::Kind::kOperator &&
          Following().text == "=") {
        argument.name = Now().text;
        Advance();
        Advance();
      }
      EBB_ASSIGN_OR_RETURN(argument.value, Parse());
      arguments.push_back(std::move(argument));
    }
    return arguments;
  }

 private:
  const Token& Now() const { return segment_.tokens[at_]; }
  const Token& Following() const {
    return segment_.tokens[std::min(at_ + 1, segment_.tokens.size() - 1)];
  }
  bool Is(Token::Kind kind, std::string_view text) const {
    return Now().kind == kind && Now().text == text;
  }
  bool Advance() {
    if (!AtEnd()) ++at_;
    return true;
  }

  Status CountOperator() {
    if (++operators_ > kMaxOperators) return Refused("an expression is too long");
    return {};
  }

  Result<ExpressionPointer> ParseAnd() {
    EBB_ASSIGN_OR_RETURN(ExpressionPointer left, ParseNot());
    while (TakeName("and")) {
      EBB_RETURN_IF_ERROR(CountOperator());
      EBB_ASSIGN_OR_RETURN(ExpressionPointer right, ParseNot());
      left = Node(Kind::kAnd, "", {left, right});
    }
    return left;
  }

  Result<ExpressionPointer> ParseNot() {
    if (!TakeName("not")) return ParseComparison();
    if (++depth_ > kMaxDepth) return Refused("expressions are nested too deep");
    EBB_ASSIGN_OR_RETURN(ExpressionPointer value, ParseNot());
    --depth_;
    return Node(Kind::kNot, "", {value});
  }

  // a < b < c means a < b and b < c.
  Result<ExpressionPointer> ParseComparison() {
    EBB_ASSIGN_OR_RETURN(ExpressionPointer left, ParseBinary(0));
    ExpressionPointer all;
    for (;;) {
      std::string sign;
      for (const char* candidate : {"==", "!=", "<=", ">=", "<", ">"}) {
        if (TakeOperator(candidate)) {
          sign = candidate;
          break;
        }
      }
      if (sign.empty() && TakeName("in")) {
        sign = "in";
      } else if (sign.empty() && IsName("not") && Following().text == "in") {
        Advance();
        Advance();
        sign = "not in";
      }
      if (sign.empty()) return all ? all : left;
      EBB_RETURN_IF_ERROR(CountOperator());
      EBB_ASSIGN_OR_RETURN(ExpressionPointer right, ParseBinary(0));
      ExpressionPointer compared = Node(Kind::kBinary, sign, {left, right});
      all = all ? Node(Kind::kAnd, "", {all, compared}) : compared;
      left = right;
    }
  }

  Result<ExpressionPointer> ParseBinary(std::size_t level) {
    static const std::array<std::vector<std::string>, 3> kLevels{
        {{"+", "-"}, {"~"}, {"*", "//", "/", "%"}}};
    if (level == kLevels.size()) return ParseUnary();
    EBB_ASSIGN_OR_RETURN(ExpressionPointer left, ParseBinary(level + 1));
    for (;;) {
      const auto sign = std::find_if(kLevels[level].begin(), kLevels[level].end(),
                                     [&](const std::string& text) { return TakeOperator(text); });
      if (sign == kLevels[level].end()) return left;
      EBB_RETURN_IF_ERROR(CountOperator());
      EBB_ASSIGN_OR_RETURN(ExpressionPointer right, ParseBinary(level + 1));
      left = Node(Kind::kBinary, *sign, {left, right});
    }
  }

  Result<ExpressionPointer> ParseUnary() {
    if (TakeOperator("-")) {
      if (++depth_ > kMaxDepth) return Refused("expressions are nested too deep");
      EBB_ASSIGN_OR_RETURN(ExpressionPointer value, ParseUnary());
      --depth_;
      return Node(Kind::kNegative, "", {value});
    }
    EBB_ASSIGN_OR_RETURN(ExpressionPointer value, ParsePrimary());
    return ParsePostfix(std::move(value));
  }

  Result<ExpressionPointer> ParsePrimary() {
    const Token token = Now();
    Advance();
    switch (token.kind) {
      case Token::Kind::kName:
        return ParseNamed(token.text);
      case Token::Kind::kText: {
        std::string text = token.text;  // adjacent texts are one text
        while (Now().kind == Token::Kind::kText) {
          text += Now().text;
          Advance();
        }
        return Literal(Value(std::move(text)));
      }
      case Token::Kind::kInteger: {
        const auto value = ParseInteger(token.text);
        if (!value) return Refused("the number " + token.text + " is too large");
        return Literal(Value(static_cast<std::int64_t>(*value)));
      }
      case Token::Kind::kFloat:
        return Literal(Value(ParseNumber(token.text).value_or(0)));
      case Token::Kind::kOperator:
        return ParseBracketed(token.text);
      case Token::Kind::kEnd:
        break;
    }
    return Refused("an expression is missing");
  }

  Result<ExpressionPointer> ParseNamed(const std::string& name) {
    if (name == "true" || name == "True") return Literal(Value(true));
    if (name == "false" || name == "False") return Literal(Value(false));
    if (name == "none" || name == "None") return Literal(Value(None{}));
    return Node(Kind::kName, name, {});
  }

  Result<ExpressionPointer> ParseBracketed(const std::string& open) {
    if (open == "(") {
      EBB_ASSIGN_OR_RETURN(ExpressionPointer value, Parse());
      if (IsOperator(",")) return ParseItems(Kind::kList, ")", {value});
      EBB_RETURN_IF_ERROR(NeedOperator(")"));
      return value;
    }
    if (open == "[") return ParseItems(Kind::kList, "]", {});
    if (open == "{") return ParseItems(Kind::kDict, "}", {});
    return Refused(Quoted(open) + " is not expected");
  }

  // Parses the items of a list, dict or tuple, up to its end.
  Result<ExpressionPointer> ParseItems(Kind kind, std::string_view close,
                                       std::vector<ExpressionPointer> items) {
    while (!TakeOperator(close)) {
      if (!items.empty()) {
        EBB_RETURN_IF_ERROR(NeedOperator(","));
        if (TakeOperator(close)) break;
      }
      EBB_ASSIGN_OR_RETURN(ExpressionPointer item, Parse());
      items.push_back(std::move(item));
      if (kind != Kind::kDict) continue;
      EBB_RETURN_IF_ERROR(NeedOperator(":"));
      EBB_ASSIGN_OR_RETURN(ExpressionPointer value, Parse());
      items.push_back(std::move(value));
    }
    return Node(kind, "", std::move(items));
  }

  Result<ExpressionPointer> ParsePostfix(ExpressionPointer value) {
    for (;;) {
      EBB_RETURN_IF_ERROR(CountOperator());
      if (TakeOperator(".")) {
        EBB_ASSIGN_OR_RETURN(std::string name, NeedName());
        value = Node(Kind::kMember, std::move(name), {value});
      } else if (TakeOperator("[")) {
        EBB_ASSIGN_OR_RETURN(value, ParseSubscript(value));
      } else if (TakeOperator("(")) {
        EBB_ASSIGN_OR_RETURN(std::vector<Argument> arguments, ParseArguments());
        value = WithArguments(Kind::kCall, "", value, std::move(arguments));
      } else if (TakeOperator("|")) {
        EBB_ASSIGN_OR_RETURN(std::string name, NeedName());
        std::vector<Argument> arguments;
        if (TakeOperator("(")) {
          EBB_ASSIGN_OR_RETURN(arguments, ParseArguments());
        }
        value = WithArguments(Kind::kFilter, std::move(name), value, std::move(arguments));
      } else if (TakeName("is")) {
        EBB_ASSIGN_OR_RETURN(value, ParseTest(value));
      } else {
        return value;
      }
    }
  }

  static ExpressionPointer WithArguments(Kind kind, std::string name, ExpressionPointer value,
                                         std::vector<Argument> arguments) {
    Expression node;
    node.kind = kind;
    node.name = std::move(name);
    node.children = {std::move(value)};
    node.arguments = std::move(arguments);
    return std::make_shared<const Expression>(std::move(node));
  }

  Result<ExpressionPointer> ParseTest(ExpressionPointer value) {
    const bool negated = TakeName("not");
    EBB_ASSIGN_OR_RETURN(std::string name, NeedName());
    std::vector<Argument> arguments;
    if (TakeOperator("(")) {
      EBB_ASSIGN_OR_RETURN(arguments, ParseArguments());
    } else if (Now().kind == Token::Kind::kText || Now().kind == Token::Kind::kInteger) {
      EBB_ASSIGN_OR_RETURN(ExpressionPointer argument, ParsePrimary());
      arguments.push_back({"", std::move(argument)});
    }
    ExpressionPointer test =
        WithArguments(Kind::kTest, std::move(name), value, std::move(arguments));
    return negated ? Node(Kind::kNot, "", {test}) : test;
  }

  // Parses [index] or [begin:end:step].
  Result<ExpressionPointer> ParseSubscript(ExpressionPointer value) {
    std::vector<ExpressionPointer> parts{std::move(value)};
    bool slice = false;
    ExpressionPointer part;
    while (!TakeOperator("]")) {
      if (TakeOperator(":")) {
        slice = true;
        parts.push_back(std::exchange(part, nullptr));
      } else if (part != nullptr) {
        return Refused("\"]\" is missing");
      } else {
        EBB_ASSIGN_OR_RETURN(part, Parse());
      }
    }
    parts.push_back(std::move(part));
    if (!slice && parts[1] == nullptr) return Refused("an index is missing");
    if (parts.size() > 4) return Refused("a slice has too many parts");
    if (slice) parts.resize(4);
    return Node(slice ? Kind::kSlice : Kind::kItem, "", std::move(parts));
  }

  const Segment& segment_;
  std::size_t at_ = 0;
  int depth_ = 0, operators_ = 0;
};

class TemplateParser {
 public:
  TemplateParser(std::vector<Segment> segments, AnswerMarks marks)
      : segments_(std::move(segments)), marks_(marks) {}

  Result<Block> Run() {
    EBB_ASSIGN_OR_RETURN(Block block, ParseBlock({}));
    return block;
  }

 private:
  using Ends = std::vector<std::string>;

  // Parses statements up to one of `ends`, which is not taken; without ends, up to the end of the
  // template.
  Result<Block> ParseBlock(const Ends& ends) {
    if (++depth_ > kMaxDepth)
      return TagParser(segments_[at_ - 1]).Refused("blocks are nested too deep");
    Block block;
    while (at_ < segments_.size()) {
      const Segment& segment = segments_[at_];
      if (segment.kind == Segment::Kind::kText) {
        ++at_;
        Statement text;
        text.text = segment.text;
        block.push_back(std::move(text));
        continue;
      }
      TagParser tag(segment);
      if (segment.kind == Segment::Kind::kPrint) {
        ++at_;
        Statement print;
        print.kind = Statement::Kind::kPrint;
        EBB_ASSIGN_OR_RETURN(print.expression, tag.Parse());
        EBB_RETURN_IF_ERROR(tag.NeedEnd());
        block.push_back(std::move(print));
        continue;
      }
      const std::string name = segment.tokens.front().text;
      if (std::find(ends.begin(), ends.end(), name) != ends.end()) {
        --depth_;
        return block;
      }
      ++at_;
      EBB_RETURN_IF_ERROR(ParseStatement(tag, block));
    }
    if (!ends.empty())
      return Fail(
          {ExitCode::kConfiguration, "the template ends before {% " + ends.back() + " %}", "", ""});
    --depth_;
    return block;
  }

  // Takes the closing tag that ParseBlock stopped at.
  Status TakeEnd(const char* name) {
    TagParser tag(segments_[at_++]);
    EBB_ASSIGN_OR_RETURN(const std::string found, tag.NeedName());
    if (found != name) return tag.Refused("{% " + found + " %} is not expected");
    return tag.NeedEnd();
  }

  Status ParseStatement(TagParser& tag, Block& block) {
    EBB_ASSIGN_OR_RETURN(const std::string name, tag.NeedName());
    Statement statement;
    if (name == "if") {
      EBB_RETURN_IF_ERROR(ParseIf(tag, statement));
    } else if (name == "for") {
      EBB_RETURN_IF_ERROR(ParseFor(tag, statement));
    } else if (name == "set") {
      EBB_RETURN_IF_ERROR(ParseSet(tag, statement));
    } else if (name == "macro") {
      EBB_RETURN_IF_ERROR(ParseMacro(tag, statement));
    } else if (name == "generation") {  // only marks the assistant's text
      EBB_ASSIGN_OR_RETURN(Block inside, ParseBlock({"endgeneration"}));
      const auto mark = [&](std::string_view text) {
        Statement shown;
        shown.text = text;
        if (marks_ == AnswerMarks::kShown) block.push_back(std::move(shown));
      };
      mark(kAnswerBegin);
      block.insert(block.end(), inside.begin(), inside.end());
      mark(kAnswerEnd);
      return TakeEnd("endgeneration");
    } else if (name == "break" || name == "continue") {
      if (loops_ == 0) return tag.Refused("{% " + name + " %} is not in a loop");
      statement.kind = name == "break" ? Statement::Kind::kBreak : Statement::Kind::kContinue;
      EBB_RETURN_IF_ERROR(tag.NeedEnd());
    } else {
      return tag.Refused("{% " + name + " %} is not supported");
    }
    block.push_back(std::move(statement));
    return {};
  }

  Status ParseIf(TagParser& tag, Statement& statement) {
    statement.kind = Statement::Kind::kIf;
    EBB_ASSIGN_OR_RETURN(ExpressionPointer condition, tag.Parse());
    EBB_RETURN_IF_ERROR(tag.NeedEnd());
    for (bool otherwise = false;;) {
      EBB_ASSIGN_OR_RETURN(Block body,
                           ParseBlock(otherwise ? Ends{"endif"} : Ends{"elif", "else", "endif"}));
      statement.branches.emplace_back(std::move(condition), std::move(body));
      TagParser next(segments_[at_]);
      if (next.IsName("endif")) return TakeEnd("endif");
      ++at_;
      otherwise = next.TakeName("else");
      condition = nullptr;
      if (!otherwise) {
        next.TakeName("elif");
        EBB_ASSIGN_OR_RETURN(condition, next.Parse());
      }
      EBB_RETURN_IF_ERROR(next.NeedEnd());
    }
  }

  Status ParseFor(TagParser& tag, Statement& statement) {
    statement.kind = Statement::Kind::kFor;
    do {
      EBB_ASSIGN_OR_RETURN(std::string name, tag.NeedName());
      statement.names.push_back(std::move(name));
    } while (tag.TakeOperator(","));
    if (!tag.TakeName("in")) return tag.Refused("\"in\" is missing");
    EBB_ASSIGN_OR_RETURN(statement.expression, tag.ParseOr());
    if (tag.TakeName("if")) {
      EBB_ASSIGN_OR_RETURN(statement.condition, tag.Parse());
    }
    EBB_RETURN_IF_ERROR(tag.NeedEnd());
    ++loops_;
    auto body = ParseBlock({"else", "endfor"});
    --loops_;
    if (!body) return Fail(std::move(body).error());
    statement.body = *std::move(body);
    TagParser next(segments_[at_]);
    if (next.TakeName("else")) {
      EBB_RETURN_IF_ERROR(next.NeedEnd());
      ++at_;
      EBB_ASSIGN_OR_RETURN(statement.otherwise, ParseBlock({"endfor"}));
    }
    return TakeEnd("endfor");
  }

  Status ParseSet(TagParser& tag, Statement& statement) {
    statement.kind = Statement::Kind::kSet;
    EBB_ASSIGN_OR_RETURN(std::string name, tag.NeedName());
    statement.names.push_back(std::move(name));
    if (tag.TakeOperator(".")) {
      EBB_ASSIGN_OR_RETURN(statement.member, tag.NeedName());
    }
    if (tag.TakeOperator("=")) {
      EBB_ASSIGN_OR_RETURN(statement.expression, tag.Parse());
      return tag.NeedEnd();
    }
    EBB_RETURN_IF_ERROR(tag.NeedEnd());
    EBB_ASSIGN_OR_RETURN(statement.body, ParseBlock({"endset"}));
    return TakeEnd("endset");
  }

  Status ParseMacro(TagParser& tag, Statement& statement) {
    statement.kind = Statement::Kind::kMacro;
    EBB_ASSIGN_OR_RETURN(statement.member, tag.NeedName());
    EBB_RETURN_IF_ERROR(tag.NeedOperator("("));
    while (!tag.TakeOperator(")")) {
      if (!statement.arguments.empty()) EBB_RETURN_IF_ERROR(tag.NeedOperator(","));
      Argument argument;
      EBB_ASSIGN_OR_RETURN(argument.name, tag.NeedName());
      if (tag.TakeOperator("=")) {
        EBB_ASSIGN_OR_RETURN(argument.value, tag.Parse());
      }
      statement.arguments.push_back(std::move(argument));
    }
    EBB_RETURN_IF_ERROR(tag.NeedEnd());
    const int loops = std::exchange(loops_, 0);
    auto body = ParseBlock({"endmacro"});
    loops_ = loops;
    if (!body) return Fail(std::move(body).error());
    statement.body = *std::move(body);
    return TakeEnd("endmacro");
  }

  std::vector<Segment> segments_;
  AnswerMarks marks_;
  std::size_t at_ = 0;
  int depth_ = 0, loops_ = 0;
};

}  // namespace

Result<Block> ParseTemplate(std::string_view text, AnswerMarks marks) {
  EBB_ASSIGN_OR_RETURN(std::vector<Segment> segments, CutTemplate(text));
  return TemplateParser(std::move(segments), marks).Run();
}

}  // namespace ebb::train::jinja
