#pragma once
// Tokens to train a language model on: examples, which of their tokens count in the loss, and
// batches of them. The caller chooses the rows of a step (train/data/sampler.h). A row is found by
// its number, so a position in the data is a seed, an epoch and a count. Immutable once made:
// threads may share one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "train/text/tokenizer/byte_pairs.h"
#include "train/text/tokenizer/pattern.h"

namespace ebb::train {

/// The tokens whose loss counts.
enum class LossOn {
  kText,        ///< every token of the text
  kAnswer,      ///< tokens of the answers
  kEverything,  ///< padding too, as the published sweep does
};

/// Stores many short token lists without an allocation for each.
class TokenStore {
 public:
  /// `targets[i]` is true if token i counts in the loss.
  void Add(std::span<const TokenId> ids, const std::vector<bool>& targets);
  std::size_t size() const { return ends_.size(); }
  std::size_t tokens() const { return ids_.size(); }
  std::span<const TokenId> ids(std::size_t example) const;
  bool is_target(std::size_t example, std::size_t token) const {
    return targets_[Begin(example) + token];
  }

 private:
  std::size_t Begin(std::size_t example) const { return example == 0 ? 0 : ends_[example - 1]; }

  std::vector<TokenId> ids_;
  std::vector<bool> targets_;
  std::vector<std::size_t> ends_;
};

/// A batch of `rows` x `columns`, row by row. Shorter rows are padded on the right.
struct TextBatch {
  std::size_t rows = 0, columns = 0;
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> attention_mask;  ///< 1 for a token, 0 for padding
  /// 1 if the loss of predicting the token at this place from those before it counts. The first
  /// token of an example never counts.
  std::vector<std::uint8_t> loss_mask;
  /// Only for packed data: for each place the first place of the row that it may look at, which is
  /// the beginning of its example.
  std::vector<std::int64_t> starts;
  std::size_t targets = 0;  ///< ones in loss_mask
  std::size_t tokens = 0;   ///< without padding
};

struct BatchForm {
  TokenId padding = 0;
  LossOn loss_on = LossOn::kText;
  std::optional<std::size_t> columns;  ///< row length instead of the batch's longest row
};

class TextDataset {
 public:
  /// Makes one row for each of these examples, in this order.
  TextDataset(std::shared_ptr<const TokenStore> store, std::vector<std::uint32_t> examples,
              BatchForm form);
  /// The same examples packed into rows of at most `columns` tokens, longest first into the fullest
  /// row that has room.
  TextDataset Packed(std::size_t columns) const;

  std::size_t rows() const { return rows_.size(); }
  std::size_t examples() const;
  std::size_t tokens() const;
  std::span<const std::uint32_t> ExamplesOf(std::size_t row) const { return rows_[row]; }
  const TokenStore& store() const { return *store_; }

  /// `rows` are numbers below rows(), at least one.
  TextBatch Batch(std::span<const std::uint32_t> rows) const;

 private:
  std::size_t LengthOf(std::size_t row) const;
  void FillRow(const std::vector<std::uint32_t>& examples, std::size_t begin,
               TextBatch& batch) const;

  std::shared_ptr<const TokenStore> store_;
  std::vector<std::vector<std::uint32_t>> rows_;
  BatchForm form_;
  bool packed_ = false;
};

}  // namespace ebb::train
