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
#include "train/text/record_form.h"
#include "train/text/text_dataset.h"
#include "train/text/tokenizer.h"

namespace ebb::train {

/// Records as chats, through the tokenizer's chat template: a list of messages, or one question and
/// its answer.
struct ChatFields {
  std::string messages;  ///< the field; "" for a chat of the other two
  std::string prompt = "prompt", response = "response";
};

struct TextDataOptions {
  std::vector<platform::Path> files;  ///< in this order
  std::string pattern{kInstructionPattern};
  std::optional<ChatFields> chat;            ///< instead of the pattern
  std::vector<RecordFilter> filters;         ///< all must hold
  std::optional<std::size_t> first_records;  ///< only so many, before the filters
  std::size_t max_tokens = 512;  ///< of an example; what is longer is cut off at its end
  bool append_end = false;       ///< the end-of-text token behind each text, where it fits
  LossOn loss_on = LossOn::kText;
  double validation_share = 0.2;  ///< of the examples, rounded up
  std::uint64_t split_seed = 42;
  bool pad_to_max = false;  ///< every batch has max_tokens columns
  bool packed = false;      ///< several examples in a row of max_tokens; validation is not packed
  std::size_t token_limit =
      std::size_t{1} << 30;  ///< of all examples together: what memory may take (5 bytes each)
};

/// The options of a published recipe ("helpsteer2") or form ("text", "prompt-response"), to be
/// changed where one wants to. An Error names those there are.
Result<TextDataOptions> TextDataPreset(std::string_view name);

struct TextData {
  TextDataset training, validation;
  std::size_t records = 0;       ///< read
  std::size_t left_out = 0;      ///< by the filters
  std::size_t without_loss = 0;  ///< left out because no token of theirs would count
  std::size_t cut_off = 0;       ///< longer than max_tokens
};

/// Called with the number of records read so far, every thousand.
using TextProgress = std::function<void(std::size_t records)>;

/// Errors name the file and line. The padding token is the tokenizer's, or else its end of text.
Result<TextData> LoadTextData(const TextDataOptions& options, const Tokenizer& tokenizer,
                              const TextProgress& progress = {});

}  // namespace ebb::train
