#pragma once
// Turns a record into a text to train on, by a pattern with the names of fields in braces, and
// filters records. Pure.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "train/text/tokenizer/pattern.h"

namespace ebb::train {

/// A text, and its parts (in bytes) that are answers, which the model should learn.
struct MarkedText {
  std::string text;
  std::vector<TextRange> answers;
  std::size_t answers_not_found = 0;  ///< answers of a chat whose place in the text is unknown
};

/// "### Instruction:\n{prompt}\n\n### Response:\n{response}": the last field is the answer. "{{" is
/// a brace.
class RecordPattern {
 public:
  static Result<RecordPattern> Parse(std::string_view pattern);

  /// An Error, without a `where`, if a field is missing or not a text.
  Result<MarkedText> Fill(const JsonNode& record) const;

 private:
  struct Part {
    std::string text;
    bool is_field = false;
  };
  std::vector<Part> parts_;
};

/// The patterns of the published sweep on HelpSteer2, and of texts without parts.
inline constexpr std::string_view kInstructionPattern =
    "### Instruction:\n{prompt}\n\n### Response:\n{response}";
inline constexpr std::string_view kTextPattern = "{text}";

/// A comparison of a numeric field with a number: "helpfulness>=3".
struct RecordFilter {
  enum class Comparison { kLess, kAtMost, kEqual, kAtLeast, kGreater };
  std::string field;
  Comparison comparison = Comparison::kAtLeast;
  double value = 0;

  static Result<RecordFilter> Parse(std::string_view text);
  /// An Error, without a `where`, if the field is missing or not a number.
  Result<bool> Takes(const JsonNode& record) const;
};

}  // namespace ebb::train
