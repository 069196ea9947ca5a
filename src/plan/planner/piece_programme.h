#pragma once
// The dynamic programme behind piece_search.h: the cheapest slots, widths and places for one task.
// A change of width is a stop and a start without a wait between them, with the cost of a resume. A
// change of place is the same with a move. State: slot, share of the work that is done, and the
// option at which the task runs, or the place at which it waits. The share is kept exactly, but
// states are told apart by buckets of it. In each bucket, the state stays whose cost is lowest less
// the value of its work. That value is the price of a share of work in the relaxation in which
// every slot and every further device can be taken alone (CarbonScaler's greedy; Hanafy et al.
// 2023). The same price bounds the cost of the rest, so that states which cannot beat the best
// known placement are left out.

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "plan/planner/placement_search.h"
#include "plan/problem/capacity_profile.h"

namespace ebb::plan {

/// A pool on which the task may run.
struct PiecePlace {
  const CapacityProfile* profile = nullptr;
  const PriceCurve* price = nullptr;
  const PriceCurve* rent = nullptr;  ///< of a device; nullptr: none
  Time begin_by = Time::max();       ///< latest begin of the first piece
  Time latest_end{};
};

/// The move with which a piece begins at a place.
struct PieceMove {
  Duration takes{};
  /// Prices beyond those of running for the same time, by the slot in which the move begins; empty:
  /// no move.
  std::vector<double> prices;
  double least = 0;  ///< the lowest price of the move itself
};

/// A width of the task at a place.
struct PieceOption {
  int choice = 0;     ///< index into the task's choices
  int place = 0;      ///< index into the question's places
  int width = 1;      ///< number of devices
  Duration full{};    ///< running time of all the work
  Duration before{};  ///< time without progress at the begin of the first piece
  double rate = 0;    ///< weight x kilowatts
};

struct PieceQuestion {
  std::vector<PiecePlace> places;
  std::vector<PieceOption> options;  ///< options by place, then by width, ascending
  Time begin{};                      ///< the task may run from here
  Time first{};                      ///< begin of slot 0
  Duration slot{};
  Duration shortest{};                 ///< shortest piece
  Duration resume{};                   ///< time without progress at the begin of each
                                       ///< further piece
  std::vector<PieceMove> first_moves;  ///< moves of the first piece, by place; they count in
                                       ///< `before`
  std::vector<double> move_now;        ///< prices of the same moves at `begin`, by place
  std::vector<std::vector<PieceMove>>
      moves;         ///< moves of further pieces, by place before and place
  int runs = -1;     ///< option that runs already and may go on; -1: none
  Duration left{};   ///< if it goes on: time until it makes progress
  Time committed{};  ///< if it goes on: it does so at least until then
  bool must_go_on = false;
  double to_beat = 0;  ///< cost of the best known placement
};

class PieceProgramme {
 public:
  struct Piece {
    int option = 0;
    Interval time;
  };

  /// Borrows all arguments.
  PieceProgramme(const PieceQuestion& question, PieceTables& tables);

  std::int64_t size() const {
    return std::int64_t{slots_ + 1} * kBuckets * static_cast<std::int64_t>(options_ + places_);
  }
  int slots() const { return slots_; }
  /// True unless the relaxation shows that no placement beats the best known one.
  bool MayBeat();
  /// Returns true if there is a way to run all of it. Pieces() then gives the cheapest one.
  bool Solve();
  std::vector<Piece> Pieces() const;

 private:
  using Cell = PieceTables::Cell;
  // Bucket 0 holds the state in which the task has not begun.
  static constexpr int kBuckets = 42;
  // The step that led to a state. kWaits and kStops lead to a state in which the task waits.
  static constexpr std::uint8_t kGoesOn = 0, kStarts = 1, kFirst = 2, kRanBefore = 3;
  static constexpr std::uint8_t kWaits = 0, kStops = 1;

  struct State {
    int slot = 0, bucket = 0;
    double cost = 0, work = 0;
    int place = 0;  ///< place at which the task waits
  };
  struct Step {
    int option = 0;
    int slots = 1;
    Duration before{};  ///< time without progress
    double extra = 0;   ///< cost beside that of running
    std::uint8_t way = kGoesOn;
    Duration shortest{};  ///< of a further piece: its shortest length, with the move
  };
  struct End {
    double cost = std::numeric_limits<double>::infinity();
    int slot = 0, bucket = 0, place = 0;  ///< the state before the last step
    Step step;
    Duration spare{};  ///< time of the last slot that is not needed
  };

  Time Edge(int slot) const { return q_.first + q_.slot * slot; }
  const PieceOption& OptionAt(int option) const {
    return q_.options[static_cast<std::size_t>(option)];
  }
  const PiecePlace& PlaceOf(const PieceOption& option) const {
    return q_.places[static_cast<std::size_t>(option.place)];
  }
  Cell& On(int slot, int bucket, int option) const;
  Cell& Off(int slot, int bucket, int place) const;
  double Cost(int option, int from, int to) const;
  bool IsFree(int option, int from, int to) const;
  double WorkIn(int option, Duration time) const;
  int SlotsFor(Duration shortest, Duration before) const;
  int BucketOf(double work) const;
  bool IsHopeless(const State& state) const;

  void FillSlots();
  void FillPlace(std::size_t place);
  void FillBits();
  void AddBits(Duration length, std::span<const double> costs);
  double CheapestMove() const;
  void FillRest();
  void BeginNow(int option);
  void Advance(int slot, int bucket);
  void Start(const State& from, int option);
  void Run(const State& from, const Step& step);
  void Finish(const State& from, const Step& step, double cost, double work);
  void Keep(Cell& cell, const Cell& candidate) const;

  const PieceQuestion& q_;
  PieceTables& tables_;
  std::size_t options_ = 0, places_ = 0;
  int slots_ = 0;
  double work_price_ = 0;  ///< cost of a share of work in the relaxation
  double floor_ = 0;
  bool bounded_ = true;  ///< the relaxation is a bound
  bool prunes_ = true;   ///< its price bounds the cost of the rest too
  double tie_ = 0;       ///< tiny cost of a start, so that equal ways have few pieces
  End best_;
};

}  // namespace ebb::plan
