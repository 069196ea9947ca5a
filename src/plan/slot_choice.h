#pragma once
// The cheapest choice of k slots out of T, when every pause costs something and no piece between
// two pauses may be shorter than a minimum: exact, by dynamic programming over (slot, slots done,
// running or not) in O(T k). Pure.

#include <optional>
#include <vector>

namespace ebb::plan {

struct SlotProblem {
  std::vector<double> cost;    ///< of running in each slot
  std::vector<double> resume;  ///< of resuming at each slot, added to its cost
  int slots = 1;               ///< how many have to be run; <= cost.size()
  int minimum_block = 1;       ///< of a piece that is not the last
  bool running = false;        ///< runs at the beginning: going on costs no resumption
  int running_must = 0;        ///< runs at the beginning and cannot pause before this many slots
  bool first_is_resumption = false;  ///< false: the first start of a job that waits costs nothing
};

struct SlotBlock {
  int begin = 0;
  int end = 0;
  friend bool operator==(const SlotBlock&, const SlotBlock&) = default;
};

struct SlotChoice {
  double cost = 0;
  std::vector<SlotBlock> blocks;  ///< in order of time; ties go to the earlier slots
};

/// Nothing when the slots do not suffice.
std::optional<SlotChoice> ChooseSlots(const SlotProblem& problem);

}  // namespace ebb::plan
