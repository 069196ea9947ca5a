#pragma once
// The dynamic programme behind width_search.h: the cheapest slots and widths for one elastic task
// on one pool. A change of width is a stop and a start without a wait between them, with the cost
// of a resume. State: slot, share of the work that is done, and the width at which the task runs,
// or that it waits. The share is kept exactly, but states are told apart by buckets of it. In each
// bucket, the state stays whose cost is lowest less the value of its work. That value is the price
// of a share of work in the relaxation in which every slot and every further device can be taken
// alone (CarbonScaler's greedy; Hanafy et al. 2023). The same price bounds the cost of the rest, so
// that states which cannot beat the best known placement are left out.

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/capacity_profile.h"

namespace ebb::plan {

/// One width of the task on the pool.
struct WidthOption {
  int choice = 0;     ///< index into the task's choices
  int width = 1;      ///< number of devices
  Duration full{};    ///< running time of all the work
  Duration before{};  ///< time without progress at the begin of the first piece
  double rate = 0;    ///< weight x kilowatts
};

struct WidthQuestion {
  std::vector<WidthOption> options;  ///< by width, ascending
  Time begin{};                      ///< the task may run from here
  Time first{};                      ///< begin of slot 0
  Duration slot{};
  Time begin_by = Time::max();  ///< latest begin of the first piece
  Time latest_end{};
  Duration shortest{};  ///< shortest piece
  Duration resume{};    ///< time without progress at the begin of each further piece
  Duration move{};      ///< the first piece begins with a move, which counts in `before`
  int runs = -1;        ///< option that runs already and may go on; -1: none
  Duration left{};      ///< if it goes on: time until it makes progress
  Time committed{};     ///< if it goes on: it does so at least until then
  bool must_go_on = false;
  const PriceCurve* price = nullptr;
  const PriceCurve* rent = nullptr;  ///< of a device; nullptr: none
  std::vector<double> moves;         ///< price of a move that begins at each slot; empty: none
  double move_now = 0;               ///< the same at `begin`
  double to_beat = 0;                ///< cost of the best known placement
};

class WidthProgramme {
 public:
  struct Piece {
    int option = 0;
    Interval time;
  };

  /// Borrows all arguments.
  WidthProgramme(const WidthQuestion& question, const CapacityProfile& profile,
                 WidthTables& tables);

  std::int64_t size() const {
    return std::int64_t{slots_ + 1} * kBuckets * (static_cast<std::int64_t>(options_) + 1);
  }
  int slots() const { return slots_; }
  /// True unless the relaxation shows that no placement beats the best known one.
  bool MayBeat();
  /// Returns true if there is a way to run all of it. Pieces() then gives the cheapest one.
  bool Solve(const CapacityProfile& profile);
  std::vector<Piece> Pieces() const;

 private:
  using Cell = WidthTables::Cell;
  // Bucket 0 holds the state in which the task has not begun.
  static constexpr int kBuckets = 42;
  // The step that led to a state. kWaits and kStops lead to a state in which the task waits.
  static constexpr std::uint8_t kGoesOn = 0, kStarts = 1, kFirst = 2, kRanBefore = 3;
  static constexpr std::uint8_t kWaits = 0, kStops = 1;

  struct State {
    int slot = 0, bucket = 0;
    double cost = 0, work = 0;
  };
  struct Step {
    int option = 0;
    int slots = 1;
    Duration before{};  ///< time without progress
    double extra = 0;   ///< cost beside that of running
    std::uint8_t way = kGoesOn;
  };
  struct End {
    double cost = std::numeric_limits<double>::infinity();
    int slot = 0, bucket = 0;  ///< the state before the last step
    Step step;
    Duration spare{};  ///< time of the last slot that is not needed
  };

  Time Edge(int slot) const { return q_.first + q_.slot * slot; }
  Cell& On(int slot, int bucket, int option) const;
  Cell& Off(int slot, int bucket) const;
  double Cost(int option, int from, int to) const;
  bool IsFree(int option, int from, int to) const;
  double WorkIn(int option, Duration time) const;
  int SlotsFor(Duration shortest, Duration before) const;
  int BucketOf(double work) const;
  bool IsHopeless(const State& state) const;

  void FillSlots(const CapacityProfile& profile);
  void AddBits(Duration length, double price, double rent, int free);
  void FillRest();
  void BeginNow(int option, const CapacityProfile& profile);
  void Advance(int slot, int bucket);
  void Start(const State& from, int option);
  void Run(const State& from, const Step& step);
  void Finish(const State& from, const Step& step, double cost, double work);
  void Keep(Cell& cell, const Cell& candidate) const;

  const WidthQuestion& q_;
  WidthTables& tables_;
  std::size_t options_ = 0;
  int slots_ = 0;
  double work_price_ = 0;  ///< cost of a share of work in the relaxation
  double floor_ = 0;
  bool bounded_ = true;  ///< the relaxation is a bound
  double tie_ = 0;       ///< tiny cost of a start, so that equal ways have few pieces
  End best_;
};

}  // namespace ebb::plan
