#pragma once
// Loads files of records as data sets of tokens: chooses the fields of the text and the records,
// cuts texts off, and divides them into training and validation (docs/text-data.md).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/text/records/chat_record.h"
#include "train/text/records/record_form.h"
#include "train/text/records/text_dataset.h"
#include "train/text/tokenizer/tokenizer.h"

namespace ebb::train {

/// Appends the end-of-text token to each text, if it fits, so that a model learns to stop.
enum class AppendEnd {
  kNo,
  kIfKnown,  ///< only if the tokenizer names it; if not, a warning
  kYes,
};

struct TextDataOptions {
  std::vector<platform::Path> files;  ///< read in this order
  std::string pattern{kInstructionPattern};
  std::optional<ChatFields> chat;            ///< use the chat template instead of the pattern
  std::vector<std::string> ignored_fields;   ///< fields of a chat's record; "*": all unknown ones
  std::vector<RecordFilter> filters;         ///< all must hold
  std::optional<std::size_t> first_records;  ///< number of records to read, before the filters
  std::size_t max_tokens = 512;              ///< longest example; longer ones are cut at the end
  AppendEnd append_end = AppendEnd::kNo;
  LossOn loss_on = LossOn::kText;
  double validation_share = 0.2;  ///< share of the examples, rounded up
  std::uint64_t split_seed = 42;
  bool pad_to_max = false;        ///< every batch has max_tokens columns
  bool skip_bad_records = false;  ///< count them instead of returning an Error
  bool packed = false;            ///< several examples in a row of max_tokens, except in validation
  /// Limit of all examples together, because memory is limited (5 bytes for each token).
  std::size_t token_limit = std::size_t{1} << 30;
};

/// The options of a published recipe ("helpsteer2") or form ("text", "prompt-response"), which a
/// caller may change. An Error lists the known names.
Result<TextDataOptions> TextDataPreset(std::string_view name);

/// Counts of the records of a file by what was done with them.
struct TextCounts {
  std::size_t records = 0;            ///< read
  std::size_t filtered = 0;           ///< left out by the filters
  std::size_t bad = 0;                ///< skipped because they cannot be read
  std::string first_bad{};            ///< place and cause of the first bad record
  std::size_t without_loss = 0;       ///< left out because no token would be learned
  std::size_t cut_off = 0;            ///< longer than max_tokens
  std::size_t lost_by_cut = 0;        ///< counted in both: the cut took all learned tokens
  std::size_t answers_not_found = 0;  ///< in the template's text; these are not learned
  std::size_t max_tokens = 0;
  bool end_is_unknown = false;  ///< no end is learned, although kIfKnown asked for it

  /// "42 records: 12 used whole, 8 cut off at 512 tokens, 20 left out because no token of theirs
  /// would be learned, 2 left out by filters".
  std::string Sentence() const;
  /// Warnings of results that may be unintended: more than a twentieth of the records after filters
  /// is cut off or left out, or no end is learned.
  std::vector<std::string> Warnings() const;
};

struct TextData {
  TextDataset training, validation;
  TextCounts counts;
};

/// Called with the number of records read so far, every thousand.
using TextProgress = std::function<void(std::size_t records)>;

/// Errors name the file and line. The padding token is the tokenizer's, or else its end of text.
Result<TextData> LoadTextData(const TextDataOptions& options, const Tokenizer& tokenizer,
                              const TextProgress& progress = {});

}  // namespace ebb::train
