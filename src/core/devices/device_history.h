#pragma once
// Experience with devices from jobs that have ended: how much longer the jobs took, and how much
// more power they drew, than expected. It corrects data sheets (device_profile.h): a model that
// waits for memory gains less from a faster device than the device's arithmetic promises.
//
// Pure; values only.

#include <map>
#include <span>
#include <string>

#include "core/devices/cluster.h"

namespace ebb::core {

/// One job that ran in one piece on devices of one model.
struct DeviceRun {
  std::string model;
  double run_time_s = 0;        ///< measured run time
  double expected_s = 0;        ///< run time that the job stated, on a device of speed 1
  double power_w = 0;           ///< measured power of one device; 0: not measured
  double expected_power_w = 0;  ///< power that the job stated, of one device at power factor 1
};

struct DeviceExperience {
  int jobs = 0;             ///< jobs whose run time is known
  double run_time = 1;      ///< mean of measured / expected run time; see Learn
  int measured_powers = 0;  ///< jobs whose power is known
  double power = 1;
};

/// The experience of each model, relative to `cluster`'s pools as data sheets describe them. Every
/// job votes with the logarithm of measured / expected, within a factor of 4; the mean of n votes
/// counts n / (n + 5), so that one strange job moves little.
std::map<std::string, DeviceExperience> Learn(std::span<const DeviceRun> runs,
                                              const Cluster& cluster);

/// Divides each pool's speed by its experience of run times, and multiplies its power factor by its
/// experience of power. Both are relative to the first pool, because an error that all jobs'
/// estimates share says nothing of a device, and change by a factor of 2 at most. A pool with fewer
/// than 3 jobs or without devices stays as it is. If the first pool has fewer than 3 jobs, all
/// pools stay as they are.
void Refine(Cluster& cluster, const std::map<std::string, DeviceExperience>& experience);

}  // namespace ebb::core
