#pragma once
// The part of Jinja that chat templates use: the tree that the parser makes and the renderer walks.
// Pure.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "train/text/template/jinja_value.h"

namespace ebb::train::jinja {

struct Expression;
using ExpressionPointer = std::shared_ptr<const Expression>;

struct Argument {
  std::string name;  ///< "" for an argument by position
  ExpressionPointer value;
};

struct Expression {
  enum class Kind {
    kLiteral,  ///< literal
    kName,     ///< name
    kList,     ///< children
    kDict,     ///< keys and values in turn
    kMember,   ///< children[0].name
    kItem,     ///< children[0][children[1]]
    kSlice,    ///< children[0][children[1]:children[2]:children[3]]; nullptr: left out
    kCall,     ///< children[0](arguments)
    kFilter,   ///< children[0] | name(arguments)
    kTest,     ///< children[0] is name(arguments)
    kNot,
    kNegative,
    kAnd,
    kOr,
    kBinary,       ///< name is the operator
    kConditional,  ///< children[0] if children[1] else children[2] (nullptr: undefined)
  };
  Kind kind = Kind::kLiteral;
  std::string name;
  Value literal;
  std::vector<ExpressionPointer> children;
  std::vector<Argument> arguments;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum class Kind {
    kText,   ///< name
    kPrint,  ///< expression
    kIf,     ///< branches
    kFor,    ///< names in expression, if condition: body, else otherwise
    kSet,    ///< names[0] (or names[0].member) = expression, or the body's text
    kMacro,  ///< member(arguments): body
    kBreak,
    kContinue,
  };
  Kind kind = Kind::kText;
  std::string text, member;
  std::vector<std::string> names;
  ExpressionPointer expression, condition;
  std::vector<Argument> arguments;
  std::vector<std::pair<ExpressionPointer, Block>> branches;  ///< nullptr: else
  Block body, otherwise;
};

/// The text that replaces {% generation %} and its end if a rendered text should show its answers.
inline constexpr std::string_view kAnswerBegin =
    "\xEE\x83\xB0"
    "ebb answer\xEE\x83\xB1";
inline constexpr std::string_view kAnswerEnd =
    "\xEE\x83\xB2"
    "ebb answer\xEE\x83\xB3";
enum class AnswerMarks { kLeftOut, kShown };

/// Treats whitespace as Jinja does with trim_blocks and lstrip_blocks. Errors name unsupported
/// features and their lines.
Result<Block> ParseTemplate(std::string_view text, AnswerMarks marks = AnswerMarks::kLeftOut);

}  // namespace ebb::train::jinja
