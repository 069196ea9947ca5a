#pragma once
// Where this process stands among those that train one model together: the environment that
// torchrun, srun with torchrun's names and most launchers set. Knows nothing of LibTorch.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::train {

struct RankPlace {
  int rank = 0;
  int size = 1;             ///< 1: alone
  int on_this_machine = 1;  ///< ranks that share its cores
  int local_rank = 0;       ///< which of them this one is: it has the GPU of that number
  std::string address;      ///< of the process that the others find each other through
  std::uint16_t port = 0;
  /// The launcher serves that address itself; otherwise rank 0 does.
  bool launcher_serves = false;
};

/// RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT; alone where WORLD_SIZE
/// is not set or 1. `get` is getenv, or a test's.
Result<RankPlace> RankPlaceFrom(const std::function<const char*(const char*)>& get);

/// Whether `address` is this machine by its own name for itself.
bool IsLoopback(const std::string& address);

/// The part of an update's samples that is rank `rank`'s, in order: together they are all of them,
/// each as large as its share says, to the nearest sample. Shares are > 0.
std::span<const std::uint32_t> PartOf(std::span<const std::uint32_t> samples,
                                      const std::vector<double>& shares, std::size_t rank);

}  // namespace ebb::train
