#pragma once
// A connection to the store for readers. It is opened (and checked, which takes a while) at its
// first use, and again after a failure.
//
// Thread contract: Use from any thread, one at a time.

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include "store/database/database.h"

namespace ebb::web {

class StoreReader {
 public:
  explicit StoreReader(std::filesystem::path path) : path_(std::move(path)) {}

  Status Use(const std::function<Status(store::Database&)>& read) {
    const std::lock_guard guard(mutex_);
    if (!database_) {
      EBB_ASSIGN_OR_RETURN(store::Database opened,
                           store::Database::Open(path_, store::Database::Mode::kRead));
      database_ = std::make_unique<store::Database>(std::move(opened));
    }
    auto done = read(*database_);
    if (!done) database_.reset();
    return done;
  }

 private:
  const std::filesystem::path path_;
  std::mutex mutex_;
  std::unique_ptr<store::Database> database_;
};

}  // namespace ebb::web
