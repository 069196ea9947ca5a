#pragma once
// Finds the cheapest place for one task while the other tasks stay: in one piece here, in several
// pieces in split_search.h. Exact for lengths on the grid of begins: the price of a window is
// piecewise linear in its begin, so its minimum lies where the window's begin or end meets a price
// step, or where the room ends. A window of another length ends up to one step of the grid before
// the price step. Ties go to the earlier begin, then to the earlier choice. A pool of a long
// queue is not searched from begin to end, but step by step where it has room (rooms_by_step.h),
// cheapest first, until no other step can be cheaper (window_floors.h).

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "plan/planner/window_floors.h"
#include "plan/problem/draft.h"

namespace ebb::plan {

struct SearchOptions {
  double minimum_saving_share = 0;  ///< as a share of the price of the earliest begin
  double minimum_saving = 0;        ///< in units of price: grams

  bool AsksForSaving() const { return minimum_saving > 0 || minimum_saving_share > 0; }
};

/// Tables of split_search.h, kept from one call to the next to reuse their memory.
struct SplitTables {
  struct Cell {
    double cost = std::numeric_limits<double>::infinity();
    std::uint8_t from = 0;
  };
  std::vector<Cell> on, off;
  std::vector<double> sums, rates, cheapest, moves;
  std::vector<int> blocked;
};

/// Tables of piece_search.h, kept from one call to the next to reuse their memory.
struct PieceTables {
  struct Cell {
    double cost = std::numeric_limits<double>::infinity();
    double work = 0;          ///< share of the work that is done
    std::uint8_t before = 0;  ///< bucket of work of the state before
    std::uint8_t way = 0;     ///< step that led here
    std::uint16_t slots = 0;  ///< slots of the step; after a stop, the option that stopped
    std::uint8_t place = 0;   ///< place at which the task waited before the step
  };
  std::vector<Cell> on, off;
  std::vector<double> costs;  ///< price before each slot, by option
  std::vector<double> rest;   ///< least reduced cost of all slots from this one on
  std::vector<int> blocked;
  std::vector<std::pair<double, double>> bits;  ///< price of a share of work, and the share
};

/// Counts the places looked at, so that a budget means the same on every machine.
struct Work {
  std::int64_t done = 0;
  SplitTables tables;
  PieceTables piece_tables;
  WindowFloors floors;
  int widest = std::numeric_limits<int>::max();  ///< limit of the devices of an elastic task
  bool stays = false;  ///< do not look for pieces at several sites, which takes longest
};

/// The cheapest placement in one piece within `allowed` (which begins now or later) that keeps the
/// deadline; choice -1 if none costs less than `to_beat`. The task must not be placed in the draft.
Placement CheapestWindow(const Draft& draft, std::size_t task, Interval allowed, Work& work,
                         const Cost& to_beat = kAnyCost);

/// The placement with the earliest begin, whatever it costs, and the cheapest among equals; if it
/// would be late, the least late one.
Placement EarliestWindow(const Draft& draft, std::size_t task, Time earliest, Work& work);

}  // namespace ebb::plan
