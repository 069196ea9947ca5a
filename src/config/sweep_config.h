#pragma once
// What `ebb sweep SWEEP.yaml` is told: a sweep, ready to be run, and the options of the targets it
// can be generated for. Every key is in docs/sweep.md. All mistakes of a file are reported
// together, each with file and line. Pure but for LoadSweepConfig, which reads one file.

#include <string>

#include "base/result.h"
#include "sweep/kubernetes_manifest.h"
#include "sweep/slurm_script.h"
#include "sweep/sweep.h"

namespace ebb::config {

struct SweepConfig {
  std::string source;  ///< the file, for messages
  sweep::Sweep sweep;
  sweep::KubernetesOptions kubernetes;
  sweep::SlurmOptions slurm;
};

/// `name` is for messages, and its stem is the default name of the sweep.
Result<SweepConfig> ParseSweepConfig(const std::string& text, const std::string& name);
Result<SweepConfig> LoadSweepConfig(const std::string& path);

}  // namespace ebb::config
