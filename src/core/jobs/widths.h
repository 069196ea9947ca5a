#pragma once
// The widths of an elastic job: the numbers of devices on which it can run, and its speed on each.
// The power of a device is the same at every width, and a further device mostly adds less work than
// the one before. So a wide job is done sooner, but the same work takes more energy. Values only.

#include <string>
#include <vector>

#include "base/result.h"
#include "core/jobs/job.h"

namespace ebb::core {

/// True if the job has more than its own width.
bool IsElastic(const Job& job);

/// The number of devices of a start or a piece of the plan: `devices`, or the job's own if that is
/// 0.
inline int WidthFrom(const Job& job, int devices) { return devices > 0 ? devices : job.devices; }

/// The speed on `devices` relative to `own` that is taken for a job until it is given or measured:
/// each doubling of the devices makes the job 1.8 times as fast.
double AssumedSpeed(int own, int devices);

/// All widths of the job with their speeds, in ascending order: its own, and those of an elastic
/// job.
std::vector<WidthSpeed> WidthsOf(const Job& job);
/// The speed of the job on this number of devices, relative to that on Job::devices. The width must
/// be one of the job's.
double SpeedAt(const Job& job, int devices);

/// "1 device", "4 devices".
std::string DevicesText(int devices);
/// A series of widths: "2, 1, 4 devices". A width that follows itself is said once. Of more than
/// six changes only the extent is said: "1 to 4 devices". Empty if there is none.
std::string WidthsText(const std::vector<int>& widths);

/// Parses one "DEVICES=SPEED", or "DEVICES" if the speed is not known, for each width, and sorts
/// them. The Error says what is accepted.
Result<std::vector<WidthSpeed>> ParseSpeedup(const std::vector<std::string>& texts);
/// The widths as texts that ParseSpeedup reads: "4=3.3"; "4" without a speed.
std::vector<std::string> Describe(const std::vector<WidthSpeed>& speedup);

/// Returns an Error unless every width is given once, is faster than all narrower ones, and can be
/// changed: the job must be checkpointable.
Status CheckWidths(const Job& job);

/// Like the functions of job.h, on this number of devices.
bool FitsAt(const Job& job, const Cluster& cluster, int pool, int devices);
double SpeedOn(const Job& job, const DevicePool& pool, int devices);
Power PowerOn(const Job& job, const DevicePool& pool, int devices);
Duration TimeOn(const Job& job, const DevicePool& pool, int devices, Duration work);

}  // namespace ebb::core
