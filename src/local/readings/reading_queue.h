#pragma once
// Readings on their way from the sampler's thread to ours. Private to local/.

#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

#include "core/ledger/ledger.h"

namespace ebb::local {

class ReadingQueue {
 public:
  void Push(std::vector<core::EnergyReading> readings) {
    const std::lock_guard lock(mutex_);
    readings_.insert(readings_.end(), std::make_move_iterator(readings.begin()),
                     std::make_move_iterator(readings.end()));
  }
  std::vector<core::EnergyReading> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(readings_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<core::EnergyReading> readings_;
};

}  // namespace ebb::local
