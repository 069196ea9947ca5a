#pragma once
// Data as a model gets them, to compare two data sets.

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "train/text/records/text_dataset.h"

namespace ebb::train {

/// Tokens, attention, loss and beginnings of examples, as in TextBatch.
using SeenRow = std::tuple<std::vector<std::int64_t>, std::vector<std::int64_t>,
                           std::vector<std::uint8_t>, std::vector<std::int64_t>>;

inline std::vector<SeenRow> SeenRows(const TextDataset& data) {
  std::vector<SeenRow> rows;
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const TextBatch batch = data.Batch(std::span(&row, 1));
    rows.emplace_back(batch.ids, batch.attention_mask, batch.loss_mask, batch.starts);
  }
  return rows;
}

}  // namespace ebb::train
