#pragma once
// The dynamic programme behind split_search.h: the cheapest slots for one job on one pool, with a
// cost for every resume and a shortest piece. State: slots run, resumes so far, running or not. A
// piece begins with as many slots at once as the shortest piece has.

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/capacity_profile.h"
#include "plan/problem/run_price.h"

namespace ebb::plan {

/// The question: how to run `length` from `first` on at the lowest cost.
struct SlotQuestion {
  Time first{};  ///< begin of slot 0
  Duration slot{};
  Duration length{};       ///< running time without further resumes
  Duration resume_cost{};  ///< extra running time of each further resume
  Duration shortest{};     ///< shortest piece
  Time latest_end{};
  bool runs = false;  ///< a piece that began before `first` goes on
  Duration owed{};    ///< if `runs`: the piece must go on for at least this long
  Duration move{};    ///< the first piece begins with a move, which counts in `length`
};

class SlotProgramme {
 public:
  /// Borrows all arguments except the numbers. With a move, `tables.moves` has its price by the
  /// slot in which the job begins, as price x hours (PlanInput::MovePrice).
  SlotProgramme(const SlotQuestion& question, const RunPrice& curve, const CapacityProfile& profile,
                int width, SplitTables& tables);

  int slots() const { return slots_; }
  std::int64_t size() const { return std::int64_t{slots_ + 1} * layers_ * (kMostResumes + 1); }

  /// The least cost of a way with one resume more, as price x hours: the cheapest free slots in any
  /// order.
  double Floor();
  /// Returns true if there is a way to run all of it. Pieces() then gives the pieces of the
  /// cheapest way, in order.
  bool Solve();
  std::vector<Interval> Pieces() const;

 private:
  using Cell = SplitTables::Cell;
  static constexpr int kMostResumes = 3;

  // The step that led to a state.
  static constexpr std::uint8_t kGoesOn = 0, kStarts = 1, kRanBefore = 2, kFirst = 3;
  static constexpr std::uint8_t kWaits = 0, kStops = 1;

  struct State {
    int t = 0, n = 0, m = 0;  // slot, slots run, resumes
  };
  struct End {
    double cost = std::numeric_limits<double>::infinity();
    State state;
    std::uint8_t way = kGoesOn;
  };

  std::size_t At(int t, int n, int m) const {
    return static_cast<std::size_t>((std::int64_t{t} * layers_ + n) * (kMostResumes + 1) + m);
  }
  Time Edge(int t) const { return q_.first + q_.slot * t; }
  bool HasMove() const { return q_.move > Duration::zero() && !q_.runs; }
  void StartFrom(State off, double cost);

  void FillSlots(const RunPrice& curve, const CapacityProfile& profile, int width);
  bool IsFree(int from, int to) const;
  double Price(int from, int to) const;
  void Begin();
  void Advance(int t);
  void Run(State from, int slots, int resumes, double cost, std::uint8_t way);
  void Finish(State end, double total, std::uint8_t way);

  const SlotQuestion q_;
  SplitTables& tables_;
  std::array<int, kMostResumes + 1> needed_{};
  int layers_ = 0, slots_ = 0, piece_ = 1;
  int first_ = 1;  // slots of the first piece
  End best_;
};

}  // namespace ebb::plan
