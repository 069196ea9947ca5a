#include "train/text/records/text_dataset.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/check.h"

namespace ebb::train {

void TokenStore::Add(std::span<const TokenId> ids, const std::vector<bool>& targets) {
  EBB_CHECK(ids.size() == targets.size());
  ids_.insert(ids_.end(), ids.begin(), ids.end());
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  ends_.push_back(ids_.size());
}

std::span<const TokenId> TokenStore::ids(std::size_t example) const {
  return std::span(ids_).subspan(Begin(example), ends_[example] - Begin(example));
}

TextDataset::TextDataset(std::shared_ptr<const TokenStore> store,
                         std::vector<std::uint32_t> examples, BatchForm form)
    : store_(std::move(store)), form_(form) {
  rows_.reserve(examples.size());
  for (const std::uint32_t example : examples) {
    EBB_CHECK(example < store_->size());
    rows_.push_back({example});
  }
}

TextDataset TextDataset::Packed(std::size_t columns) const {
  std::vector<std::uint32_t> examples;
  for (const auto& row : rows_) examples.insert(examples.end(), row.begin(), row.end());
  const auto length = [&](std::uint32_t example) { return store_->ids(example).size(); };
  std::stable_sort(examples.begin(), examples.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return length(a) > length(b); });
  TextDataset packed(store_, {}, form_);
  packed.packed_ = true;
  std::multimap<std::size_t, std::size_t> room;  // rows by free tokens
  for (const std::uint32_t example : examples) {
    auto found = room.lower_bound(length(example));
    std::size_t row = packed.rows_.size(), left = columns;
    if (found == room.end()) {
      packed.rows_.emplace_back();
      EBB_CHECK(length(example) <= columns);
    } else {
      row = found->second;
      left = found->first;
      room.erase(found);
    }
    packed.rows_[row].push_back(example);
    room.emplace(left - length(example), row);
  }
  return packed;
}

std::size_t TextDataset::examples() const {
  return std::accumulate(rows_.begin(), rows_.end(), std::size_t{0},
                         [](std::size_t sum, const auto& row) { return sum + row.size(); });
}

std::size_t TextDataset::LengthOf(std::size_t row) const {
  std::size_t length = 0;
  for (const std::uint32_t example : rows_[row]) length += store_->ids(example).size();
  return length;
}

std::size_t TextDataset::tokens() const {
  std::size_t tokens = 0;
  for (std::size_t row = 0; row < rows_.size(); ++row) tokens += LengthOf(row);
  return tokens;
}

void TextDataset::FillRow(const std::vector<std::uint32_t>& examples, std::size_t begin,
                          TextBatch& batch) const {
  std::size_t at = begin;
  for (const std::uint32_t example : examples) {
    const std::span<const TokenId> ids = store_->ids(example);
    const auto start = static_cast<std::int64_t>(at - begin);
    for (std::size_t i = 0; i < ids.size(); ++i, ++at) {
      batch.ids[at] = ids[i];
      batch.attention_mask[at] = 1;
      const bool counts =
          i > 0 && (form_.loss_on != LossOn::kAnswer || store_->is_target(example, i));
      batch.loss_mask[at] = counts ? 1 : 0;
      if (packed_) batch.starts[at] = start;
    }
  }
  batch.tokens += at - begin;
  for (; at < begin + batch.columns; ++at) {
    batch.loss_mask[at] = form_.loss_on == LossOn::kEverything && at > begin ? 1 : 0;
    if (packed_) batch.starts[at] = static_cast<std::int64_t>(at - begin);
  }
}

TextBatch TextDataset::Batch(std::span<const std::uint32_t> rows) const {
  EBB_CHECK(!rows.empty());
  TextBatch batch;
  batch.rows = rows.size();
  batch.columns = 1;
  for (const std::uint32_t row : rows) {
    EBB_CHECK(row < rows_.size());
    batch.columns = std::max(batch.columns, LengthOf(row));
  }
  batch.columns = std::max(batch.columns, form_.columns.value_or(0));
  const std::size_t places = batch.rows * batch.columns;
  batch.ids.assign(places, form_.padding);
  batch.attention_mask.assign(places, 0);
  batch.loss_mask.assign(places, 0);
  if (packed_) batch.starts.assign(places, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) FillRow(rows_[rows[i]], i * batch.columns, batch);
  batch.targets = static_cast<std::size_t>(
      std::count(batch.loss_mask.begin(), batch.loss_mask.end(), std::uint8_t{1}));
  return batch;
}

}  // namespace ebb::train
