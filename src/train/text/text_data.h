#pragma once
// Files of records to data sets of tokens: which fields make the text, which records are taken,
// where a text is cut off, and how they divide into training and validation (docs/text-data.md).

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "platform/file.h"
#include "train/text/chat_record.h"
#include "train/text/record_form.h"
#include "train/text/text_dataset.h"
#include "train/text/tokenizer.h"

namespace ebb::train {

/// The end-of-text token behind each text, where it fits: so a model learns to stop.
enum class AppendEnd {
  kNo,
  kIfKnown,  ///< if the tokenizer names it; otherwise that is said
  kYes,
};

struct TextDataOptions {
  std::vector<platform::Path> files;  ///< in this order
  std::string pattern{kInstructionPattern};
  std::optional<ChatFields> chat;            ///< instead of the pattern, through the chat template
  std::vector<std::string> ignored_fields;   ///< of a chat's record; "*": all that are not known
  std::vector<RecordFilter> filters;         ///< all must hold
  std::optional<std::size_t> first_records;  ///< only so many, before the filters
  std::size_t max_tokens = 512;  ///< of an example; what is longer is cut off at its end
  AppendEnd append_end = AppendEnd::kNo;
  LossOn loss_on = LossOn::kText;
  double validation_share = 0.2;  ///< of the examples, rounded up
  std::uint64_t split_seed = 42;
  bool pad_to_max = false;        ///< every batch has max_tokens columns
  bool skip_bad_records = false;  ///< and count them, instead of an Error
  bool packed = false;  ///< several examples in a row of max_tokens; validation is not packed
  std::size_t token_limit =
      std::size_t{1} << 30;  ///< of all examples together: what memory may take (5 bytes each)
};

/// The options of a published recipe ("helpsteer2") or form ("text", "prompt-response"), to be
/// changed where one wants to. An Error names those there are.
Result<TextDataOptions> TextDataPreset(std::string_view name);

/// What became of the records of a file.
struct TextCounts {
  std::size_t records = 0;            ///< read
  std::size_t filtered = 0;           ///< left out by the filters
  std::size_t bad = 0;                ///< skipped because they cannot be read
  std::string first_bad{};            ///< where, and what is wrong
  std::size_t without_loss = 0;       ///< left out because no token of theirs would be learned
  std::size_t cut_off = 0;            ///< longer than max_tokens
  std::size_t lost_by_cut = 0;        ///< both: what was cut off was all that would be learned
  std::size_t answers_not_found = 0;  ///< in what the chat template wrote; they are not learned
  std::size_t max_tokens = 0;
  bool end_is_unknown = false;  ///< none is learned, although it was wanted if there is one

  /// "42 records: 12 used whole, 8 cut off at 512 tokens, 20 left out because no token of theirs
  /// would be learned, 2 left out by filters".
  std::string Sentence() const;
  /// What somebody may not have meant: more than a twentieth of the records that the filters leave
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
