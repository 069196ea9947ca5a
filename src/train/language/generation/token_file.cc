#include "train/language/generation/token_file.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "train/language/generation/input_file.h"
#include "train/text/records/numpy_permutation.h"

namespace ebb::train {
namespace {

using nlohmann::json;

constexpr std::uint64_t kReadLimitBytes = 4ULL << 30;

struct Sequence {
  std::vector<TokenId> ids;
  std::vector<bool> targets;
  bool was_cut = false;

  // The first token does not count, because no token is before it.
  bool HasSomethingToPredict() const {
    return ids.size() > 1 && std::find(targets.begin() + 1, targets.end(), true) != targets.end();
  }
};

// Fills the sequence from the line. Returns the error in the line, or nothing.
std::optional<std::string> ReadLine(std::string_view line, const TokenFileOptions& options,
                                    Sequence& sequence) {
  const json root = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object()) return "is not a JSON object";
  const json ids = root.value("input_ids", json());
  const json mask = root.value("loss_mask", json());
  if (!ids.is_array()) return "has no list input_ids";
  if (!mask.is_null() && (!mask.is_array() || mask.size() != ids.size()))
    return "has a loss_mask of another length than input_ids";
  const std::size_t count = std::min(ids.size(), options.max_tokens);
  sequence.was_cut = count < ids.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!ids[i].is_number_unsigned() ||
        ids[i].get<std::uint64_t>() >= static_cast<std::uint64_t>(options.vocabulary))
      return "has a token that the model's vocabulary of " + std::to_string(options.vocabulary) +
             " does not have: " + ids[i].dump();
    sequence.ids.push_back(ids[i].get<TokenId>());
    sequence.targets.push_back(mask.is_null() || mask[i] == 1 || mask[i] == true);
  }
  return std::nullopt;
}

}  // namespace

Result<TextData> LoadTokenFile(const TokenFileOptions& options) {
  EBB_ASSIGN_OR_RETURN(const std::string text, ReadInput(options.path, kReadLimitBytes));
  TokenStore store;
  std::size_t number = 0;
  TextCounts counts;
  counts.max_tokens = options.max_tokens;
  for (const std::string_view line : Split(text, '\n')) {
    ++number;
    if (Trim(line).empty()) continue;
    ++counts.records;
    Sequence sequence;
    if (const auto mistake = ReadLine(line, options, sequence))
      return Fail({ExitCode::kConfiguration, "the line " + *mistake,
                   options.path.string() + ":" + std::to_string(number), ""});
    counts.cut_off += sequence.was_cut;
    if (sequence.HasSomethingToPredict()) {
      store.Add(sequence.ids, sequence.targets);
    } else {
      ++counts.without_loss;
      counts.lost_by_cut += sequence.was_cut;
    }
  }
  const std::size_t count = store.size();
  const auto validation_count =
      static_cast<std::size_t>(std::ceil(options.validation_share * static_cast<double>(count)));
  if (count == validation_count)
    return Fail({ExitCode::kConfiguration, "no sequence is left to train on: " + counts.Sentence(),
                 options.path.string(), "a smaller --validation-share leaves more"});
  const auto order = NumpyPermutation(options.split_seed, count);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(validation_count);
  const auto shared = std::make_shared<const TokenStore>(std::move(store));
  const BatchForm form{.padding = 0, .loss_on = LossOn::kAnswer, .columns = std::nullopt};
  TextDataset training(shared, {middle, order.end()}, form);
  if (options.packed) training = training.Packed(options.max_tokens);
  return TextData{std::move(training), TextDataset(shared, {order.begin(), middle}, form), counts};
}

}  // namespace ebb::train
