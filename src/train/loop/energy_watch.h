#pragma once
// Energy between two moments from a counter that moves in steps of 20 to 100 ms: updates of a
// training are as short as that. The moments at which the counter moves are known to some
// milliseconds, so between them the energy follows by interpolation.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace ebb::train {

/// The moments at which a counter moved, and its values. Pure; one thread at a time.
class CounterHistory {
 public:
  using Moment = std::chrono::steady_clock::time_point;

  /// A reading. Readings that equal the one before say nothing new.
  void Add(Moment when, double joules);
  /// The energy between two moments. After the last reading the power goes on as it was between the
  /// last two, for at most a second. nullopt: a moment is before the second reading or too late.
  std::optional<double> JoulesBetween(Moment begin, Moment end) const;

 private:
  struct Reading {
    Moment when;
    double joules = 0;
  };
  std::optional<double> At(Moment when) const;

  std::optional<double> first_;  // when it was reached is unknown
  std::deque<Reading> readings_;
};

/// Reads a counter in a thread of its own from the construction to the destruction.
class EnergyWatch {
 public:
  /// `joules` is called on the thread only; nullopt: it cannot be read at this moment.
  explicit EnergyWatch(std::function<std::optional<double>()> joules);
  ~EnergyWatch();
  EnergyWatch(const EnergyWatch&) = delete;
  EnergyWatch& operator=(const EnergyWatch&) = delete;

  std::optional<double> JoulesBetween(CounterHistory::Moment begin,
                                      CounterHistory::Moment end) const;
  /// Waits until joules are known from now on, for half a second at most. False: the counter does
  /// not move, or cannot be read.
  bool WaitUntilKnown() const;

 private:
  void Watch();

  std::function<std::optional<double>()> joules_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ = false;      // guarded by mutex_
  CounterHistory history_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace ebb::train
