#pragma once
// What `ebb sweep SWEEP.yaml` is told: a sweep, ready to be run, and the options of the targets it
// can be generated for. Every key is in docs/sweep.md. All mistakes of a file are reported
// together, each with file and line. Pure but for LoadSweepConfig, which reads one file.

#include <string>

#include "base/result.h"
#include "sweep/kubernetes_manifest.h"
#include "sweep/serving_manifest.h"
#include "sweep/slurm_script.h"
#include "sweep/sweep.h"
#include "sweep/tpe.h"

namespace ebb::config {

struct SweepConfig {
  std::string source;  ///< the file, for messages
  sweep::Sweep sweep;
  sweep::KubernetesOptions kubernetes;
  sweep::SlurmOptions slurm;
  sweep::ServingOptions serving;  ///< without a model: nothing is to be served
};

/// A sweep whose trials are proposed one after the other.
struct SweepSearch {
  SweepConfig config;  ///< with the first trial
  sweep::SearchPlan plan;
  sweep::Definition definition;  ///< of what belongs to a trial

  /// The trial whose parameters come after those of `earlier`; an Error says why it cannot be one.
  Result<sweep::Experiment> Trial(std::vector<std::vector<sweep::Setting>> earlier,
                                  std::vector<sweep::Setting> settings) const;
};

/// Of a file with `search: {method: bayesian}`; an Error for others. `name`: a path, or of a file
/// that ships (platform/shipped_files.h).
Result<SweepSearch> LoadSweepSearch(const std::string& name);

/// `name` is for messages, and its stem is the default name of the sweep. A Bayesian search is
/// refused: its trials are not known yet.
Result<SweepConfig> ParseSweepConfig(const std::string& text, const std::string& name);
/// `name` as above.
Result<SweepConfig> LoadSweepConfig(const std::string& name);

}  // namespace ebb::config
