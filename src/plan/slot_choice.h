#pragma once
// Chooses k slots out of T at the lowest cost, if every pause costs something and no piece between
// two pauses may be shorter than a minimum: exact, by dynamic programming over (slot, slots done,
// running or not) in O(T k). Pure.

#include <optional>
#include <vector>

namespace ebb::plan {

struct SlotProblem {
  std::vector<double> cost;    ///< cost of running in each slot
  std::vector<double> resume;  ///< cost of resuming at each slot, added to its cost
  int slots = 1;               ///< number of slots to run; <= cost.size()
  int minimum_block = 1;       ///< shortest piece, except the last
  bool running = false;        ///< runs at the beginning: going on costs no resume
  int running_must = 0;        ///< runs at the beginning and cannot pause before this many slots
  bool first_is_resumption = false;  ///< false: the first start of a waiting job costs nothing
};

struct SlotBlock {
  int begin = 0;
  int end = 0;
  friend bool operator==(const SlotBlock&, const SlotBlock&) = default;
};

struct SlotChoice {
  double cost = 0;
  std::vector<SlotBlock> blocks;  ///< blocks in order of time; ties go to the earlier slots
};

/// nullopt if there are not enough slots.
std::optional<SlotChoice> ChooseSlots(const SlotProblem& problem);

}  // namespace ebb::plan
