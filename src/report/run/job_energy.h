#pragma once
// The energy of a job of a cluster: a run for each attempt on each node, or for each task there. A
// device that two of them read counts once (core/run/ledger_union.h). Sums are whole microjoules,
// and whole micrograms for each run, so they add up exactly by attempt, by node and in all.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "report/text_table.h"

namespace ebb::report {

struct JobRun {
  int attempt = 1;
  std::string node;
  core::RunRecord run;
};

struct JobFigures {
  std::int64_t runs = 0;
  Energy energy;             ///< IT energy
  Energy gpu;                ///< part of `energy` that GPUs used
  Energy measured;           ///< part of `energy` that counters read
  Energy without_intensity;  ///< part of `energy` whose emissions are not known
  std::int64_t emissions_ug = 0;
  Duration ran{};  ///< from the first beginning to the last end, once for each attempt

  /// Nothing if no emissions are known, which does not mean 0 g.
  std::optional<std::int64_t> known_emissions_ug() const {
    return energy > Energy{} && without_intensity == energy ? std::nullopt
                                                            : std::optional(emissions_ug);
  }
  friend bool operator==(const JobFigures&, const JobFigures&) = default;
};

struct JobEnergy {
  struct Row {
    int attempt = 0;   ///< 0: all
    std::string node;  ///< empty: all
    std::string outcome;
    JobFigures figures;
  };
  std::string job;
  JobFigures total;
  std::vector<Row> attempts, nodes;
  std::vector<Row> cells;       ///< by attempt and node
  Energy counted_elsewhere;     ///< energy of the runs that another reading already covers
  std::int64_t unfinished = 0;  ///< runs without an end: they run, or were killed
};

JobEnergy EnergyOf(const std::string& job, const std::vector<JobRun>& runs);

/// "used 1.23 kWh, 340 g": a sentence for a job's comment.
std::string JobEnergySentence(const JobEnergy& job);
std::string JobEnergyText(const JobEnergy& job, std::size_t columns = kAnyWidth);
/// One line for each attempt on each node, and one for the total; `part` says which.
std::string JobEnergyCsv(const JobEnergy& job);
/// JSON in the schema "ebb.job-energy/1".
std::string JobEnergyJson(const JobEnergy& job);

}  // namespace ebb::report
