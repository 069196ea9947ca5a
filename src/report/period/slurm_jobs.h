#pragma once
// Stands Slurm's accounting beside the ledgers: each start of each job that Slurm knows in a
// period, with the energy that Ebb measured of it and the energy that Slurm says itself. Jobs
// without a measurement have hours and GPUs, and no energy: nothing is estimated for them. Pure.
//
// Conservation: the measured energy of all rows and of attempts without a row is the energy of all
// attempts, to the microjoule.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/run/job_energy.h"

namespace ebb::report {

/// One start of a job, as sacct --duplicates lists it.
struct SlurmRow {
  std::string job;  ///< Slurm's number of the job, also of an element of an array
  std::string id;   ///< as people know it: "12_3"
  std::string cluster, user, account, partition, name, state;
  Interval wall;  ///< of a job that runs, until now
  Duration elapsed{};
  std::int64_t nodes = 0, cores = 0, gpus = 0;
  std::optional<Energy> told{};  ///< Slurm's ConsumedEnergy; absent: the site does not measure it
  // Filled by BesideSlurm.
  int restart = 0;
  std::optional<JobFigures> measured{};
};

/// The measured part of a start of a job: on one node, or in one task.
struct MeasuredAttempt {
  std::string job, cluster;
  Interval wall;
  JobFigures figures;
};

struct SlurmSums {
  std::int64_t starts = 0;
  double hours = 0, gpu_hours = 0;
  JobFigures measured;
  Energy told;
  std::int64_t with_told = 0;  ///< starts of which Slurm tells the energy
};

struct SlurmReport {
  struct User {
    std::string name;
    SlurmSums measured, not_measured;
  };
  std::vector<SlurmRow> rows;  ///< by begin
  std::vector<User> users;     ///< by name
  SlurmSums measured, not_measured;
  JobFigures without_row;  ///< attempts that Slurm does not list
  std::vector<std::string> notes;
};

SlurmReport BesideSlurm(std::vector<SlurmRow> rows, const std::vector<MeasuredAttempt>& attempts);

/// By user, with a total; without rows if no start is measured, or none is not.
TextTable MeasuredTable(const SlurmReport& slurm);
TextTable NotMeasuredTable(const SlurmReport& slurm);
std::string SlurmText(const SlurmReport& slurm, std::size_t columns);
/// CSV with one line for each start of a job.
std::string SlurmCsv(const SlurmReport& slurm);

}  // namespace ebb::report
