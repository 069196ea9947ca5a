#pragma once
// Keeps rows that could not be stored (a full disk) until they can. Private to local/.

#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/ledger/ledger.h"

namespace ebb::local {

class RowBuffer {
 public:
  using Store = std::function<Status(std::span<const core::LedgerRow>)>;
  explicit RowBuffer(Store store) : store_(std::move(store)) {}

  void Offer(std::vector<core::LedgerRow> rows) {
    unstored_.insert(unstored_.end(), std::make_move_iterator(rows.begin()),
                     std::make_move_iterator(rows.end()));
    if (unstored_.empty()) return;
    const Status stored = store_(unstored_);
    if (stored)
      unstored_.clear();
    else
      last_error_ = stored.error().Message();
  }
  std::optional<std::string> Warning() const {
    if (unstored_.empty()) return std::nullopt;
    return std::to_string(unstored_.size()) + " ledger rows could not be stored: " + last_error_;
  }

 private:
  Store store_;
  std::vector<core::LedgerRow> unstored_;
  std::string last_error_;
};

}  // namespace ebb::local
