#pragma once
// The place of this process among the ranks that train one model together: the environment that
// torchrun, srun with torchrun's names and most launchers set. Independent of LibTorch.

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
  int local_rank = 0;       ///< number of this rank among them, and of its GPU
  std::string address;      ///< host through which the ranks find each other
  std::uint16_t port = 0;
  /// True if the launcher serves that address itself; otherwise rank 0 does.
  bool launcher_serves = false;
};

/// Reads RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR, MASTER_PORT. Alone if
/// WORLD_SIZE is 1 or not set. `get` is getenv, or a test's.
Result<RankPlace> RankPlaceFrom(const std::function<const char*(const char*)>& get);

/// True if `address` is this machine by its own name for itself.
bool IsLoopback(const std::string& address);

/// How many of an update's samples each rank computes: as its share says, to the nearest sample,
/// and all of them together. Shares are at least 0, and not all 0.
std::vector<std::int64_t> PartSizes(std::size_t samples, const std::vector<double>& shares);
/// The samples of rank `rank`. The parts follow each other in order of rank, so together they are
/// all samples in their order.
std::span<const std::uint32_t> PartOf(std::span<const std::uint32_t> samples,
                                      const std::vector<double>& shares, std::size_t rank);

}  // namespace ebb::train
