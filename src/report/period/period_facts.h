#pragma once
// Facts about the runs of a period that a report of them states beside its sums: the hardware and
// the places, how energy was read, the work that was done. Values only; one thread for each.

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "core/ledger/work.h"
#include "core/run/run.h"
#include "core/run/uncertainty.h"

namespace ebb::report {

/// A count over several runs. It is the count of all of them only if all of them report it.
struct WorkSum {
  std::int64_t count = 0;
  std::int64_t runs = 0;  ///< runs that report it
  void Add(std::optional<std::int64_t> of_run);
};

struct PeriodFacts {
  std::int64_t runs = 0;           ///< runs that used energy, with pruned jobs
  std::int64_t cut = 0;            ///< runs of `runs` that also used energy outside of the period
  WorkSum tokens, samples, steps;  ///< work of whole runs, as their programs reported it
  WorkSum epochs;
  Duration gpu_time{};                    ///< sum over GPUs of the time in which they were read
  std::set<std::string> hardware;         ///< of one run each: "2 x NVIDIA A100, AMD EPYC 7742"
  std::set<std::string> zones;            ///< grid zones; without unknown ones
  std::set<std::string> regions, clouds;  ///< labels that users gave: "Bavaria", "aws eu-central-1"
  std::set<std::string> signals;          ///< sources of the location-based intensity
  std::optional<double> lowest_pue, highest_pue;
  /// The ways in which energy was read: component, source, divided among programs.
  std::set<std::tuple<core::Component, core::EnergySource, bool>> ways;

  /// Adds a run that used energy in the period. A run over several sites comes as one part for
  /// each; `counts` is true for one of them, whose work is that of the whole run.
  void AddRun(const core::RunRecord& run, const std::string& zone, bool counts);
  /// Adds a job of which only sums are kept.
  void AddPruned(const core::Work& work, const std::string& zone, Pue pue);
  /// Adds a part of a ledger row that counts.
  void AddReading(const core::LedgerRow& part, core::MeterScope scope);

  const WorkSum& Of(core::WorkUnit unit) const;

 private:
  void AddWork(const core::Work& work);
  void AddPue(Pue pue);
};

}  // namespace ebb::report
