#pragma once
// Keeps rows that could not be stored (a full disk) until they can. Private to local/.

#include <functional>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/ledger.h"

namespace ebb::local {

class RowKeeper {
 public:
  using Store = std::function<Status(std::span<const core::LedgerRow>)>;
  explicit RowKeeper(Store store) : store_(std::move(store)) {}

  void Offer(std::vector<core::LedgerRow> rows) {
    unkept_.insert(unkept_.end(), std::make_move_iterator(rows.begin()),
                   std::make_move_iterator(rows.end()));
    if (unkept_.empty()) return;
    const Status kept = store_(unkept_);
    if (kept)
      unkept_.clear();
    else
      last_error_ = kept.error().Message();
  }
  std::optional<std::string> Warning() const {
    if (unkept_.empty()) return std::nullopt;
    return std::to_string(unkept_.size()) + " ledger rows could not be stored: " + last_error_;
  }

 private:
  Store store_;
  std::vector<core::LedgerRow> unkept_;
  std::string last_error_;
};

}  // namespace ebb::local
