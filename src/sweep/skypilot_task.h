#pragma once
// One SkyPilot task per experiment (`sky jobs launch`), and a script that launches them at their
// planned starts. The candidates of a task are `ordered`, the cleanest region first: SkyPilot tries
// them in this order. (It takes the cheapest of `any_of`, in whatever order they are written.)
//
// A task keeps its checkpoints and its runs in a bucket, in the layout that `ebb sweep report`
// reads: runs/NAME/checkpoints, runs/NAME/attempt-N/REGION. A task that SkyPilot recovers after a
// preemption goes on from its checkpoint. `setup` and `run` are shell scripts by SkyPilot's format,
// so every argument is quoted for a POSIX shell. Pure.

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/units.h"
#include "sweep/generated_file.h"
#include "sweep/sweep.h"

namespace ebb::sweep {

struct SkypilotOptions {
  /// Regions in which tasks may run, as SkyPilot's `infra`: "aws/eu-north-1". The caller has
  /// checked that they exist.
  std::vector<std::string> regions;
  /// Where checkpoints and runs are kept: an address like "s3://bucket/folder", or the name of a
  /// bucket that SkyPilot makes.
  std::string bucket;
  std::string accelerator;    ///< SkyPilot's name of the GPU: "A100-80GB"; empty: no GPU
  std::string cpus;           ///< "8+"; empty: SkyPilot's default
  std::string memory;         ///< "32+" GiB; empty: SkyPilot's default
  std::string image;          ///< "docker:IMAGE" or a cloud's image; empty: SkyPilot's default
  bool spot = false;          ///< whether to use spot instances
  std::string workdir = ".";  ///< folder that is copied to the machine; empty: none
  std::string setup;          ///< shell lines before the first start on a machine
  std::string ebb_wheel;      ///< Ebb's wheel, which the task installs; empty: the image has Ebb
  int at_once = 0;            ///< tasks that may run in one region at a time; 0: no limit
};

/// Mistakes in the options, by key; empty if there is none.
std::vector<std::string> MistakesIn(const SkypilotOptions& options);

/// One region that a task may run in.
struct RegionOutlook {
  std::string region;
  std::optional<Intensity> expected;  ///< mean over the run, if it starts at the planned start
};

/// When and where one task is to run.
struct CloudStart {
  Time start{};
  Time latest{};                       ///< latest start by its deadline
  std::vector<RegionOutlook> regions;  ///< in the order in which SkyPilot is to try them
};

/// The task of one experiment, as YAML.
std::string SkypilotTask(const Sweep& sweep, const Experiment& experiment,
                         const SkypilotOptions& options, const CloudStart& start);
/// "NAME.yaml" for each experiment, and launch.sh. `starts` are in the order of the experiments. An
/// Error: two experiments would get the same name.
Result<std::vector<GeneratedFile>> SkypilotFiles(const Sweep& sweep, const SkypilotOptions& options,
                                                 const std::vector<CloudStart>& starts);

}  // namespace ebb::sweep
