#pragma once
// How a record becomes a text to train on: a pattern with the names of fields in braces, and which
// records are taken. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "train/text/pattern.h"

namespace ebb::train {

/// A text, and which parts of it (in bytes) are answers: what the model is to learn to say.
struct MarkedText {
  std::string text;
  std::vector<TextRange> answers;
  std::size_t answers_not_found = 0;  ///< of a chat: no part of the text is known to be theirs
};

/// "### Instruction:\n{prompt}\n\n### Response:\n{response}": the last field is the answer. "{{" is
/// a brace.
class RecordPattern {
 public:
  static Result<RecordPattern> Parse(std::string_view pattern);

  /// An Error where a field is missing or no text; it has no `where`.
  Result<MarkedText> Fill(const JsonNode& record) const;

 private:
  struct Part {
    std::string text;
    bool is_field = false;
  };
  std::vector<Part> parts_;
};

/// The pattern of the published sweep on HelpSteer2, and of texts that are whole.
inline constexpr std::string_view kInstructionPattern =
    "### Instruction:\n{prompt}\n\n### Response:\n{response}";
inline constexpr std::string_view kTextPattern = "{text}";

/// "helpfulness>=3": a field that is a number, compared with one.
struct RecordFilter {
  enum class Comparison { kLess, kAtMost, kEqual, kAtLeast, kGreater };
  std::string field;
  Comparison comparison = Comparison::kAtLeast;
  double value = 0;

  static Result<RecordFilter> Parse(std::string_view text);
  /// An Error where the field is missing or no number; it has no `where`.
  Result<bool> Takes(const JsonNode& record) const;
};

}  // namespace ebb::train
