#pragma once
// Jobs and nodes as text, so that a failed comparison shows what differs.

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

inline std::string RowOf(const std::optional<Time>& time) { return time ? FormatTime(*time) : "-"; }

inline std::string RowOf(const SlurmJob& job) {
  return Join(std::vector<std::string>{job.id,
                                       job.leader,
                                       job.user,
                                       job.account,
                                       job.qos,
                                       Join(job.partitions, ","),
                                       job.state_text,
                                       job.reason,
                                       FormatExact(job.priority),
                                       FormatTime(job.submitted),
                                       RowOf(job.start),
                                       RowOf(job.end),
                                       job.time_limit ? FormatDuration(*job.time_limit) : "-",
                                       std::to_string(job.nodes),
                                       std::to_string(job.cores),
                                       std::to_string(job.gpus),
                                       job.gpu_type,
                                       job.has_dependency ? "dependency" : "",
                                       job.has_reservation ? "reservation" : "",
                                       std::to_string(job.restarts),
                                       std::to_string(job.exit_code),
                                       job.host,
                                       job.directory,
                                       job.name,
                                       job.comment},
              " | ");
}

inline std::string RowOf(const SlurmNode& node) {
  return Join(
      std::vector<std::string>{node.name, Join(node.partitions, ","), node.is_up ? "up" : "",
                               node.is_away ? "away" : "", std::to_string(node.cores),
                               std::to_string(node.used_cores), std::to_string(node.gpus),
                               std::to_string(node.used_gpus), node.gpu_type},
      " | ");
}

template <typename Value>
std::string RowsOf(const std::vector<Value>& values) {
  std::vector<std::string> rows;
  for (const Value& value : values) rows.push_back(RowOf(value));
  std::ranges::sort(rows);
  return Join(rows, "\n");
}

}  // namespace ebb::slurm
