#pragma once
// What jobs that have ended say of the devices they ran on: how much longer they took, and how much
// more they drew, than was expected of them there. It corrects data sheets (device_profile.h): a
// model of jobs that waits for memory gains less from a faster device than its arithmetic promises.
//
// Pure; values only.

#include <map>
#include <span>
#include <string>

#include "core/cluster.h"

namespace ebb::core {

/// One job that ran in one piece on devices of one model.
struct DeviceRun {
  std::string model;
  double run_time_s = 0;        ///< measured
  double expected_s = 0;        ///< as the job stated it, on a device of speed 1
  double power_w = 0;           ///< measured, of one device; 0: not measured
  double expected_power_w = 0;  ///< as the job stated it, of one device at power factor 1
};

struct DeviceExperience {
  int jobs = 0;             ///< whose run time is known
  double run_time = 1;      ///< measured / expected, where nothing else is wrong; see Learn
  int measured_powers = 0;  ///< jobs whose power is known
  double power = 1;
};

/// By model, of `cluster`'s pools as data sheets describe them. Every job votes with the logarithm
/// of measured / expected, within a factor of 4; the mean of n votes counts n / (n + 5), so that
/// one strange job moves little.
std::map<std::string, DeviceExperience> Learn(std::span<const DeviceRun> runs,
                                              const Cluster& cluster);

/// Divides each pool's speed by its experience of run times, and multiplies its power factor by
/// that of power, both relative to the first pool (what is wrong in the estimates of all jobs alike
/// says nothing of a device) and by a factor of 2 at most. Pools, and a first pool, with fewer than
/// 3 jobs, and pools without devices, stay as they are.
void Refine(Cluster& cluster, const std::map<std::string, DeviceExperience>& experience);

}  // namespace ebb::core
