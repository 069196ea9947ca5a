#pragma once
// Reads the file of `ebb sweep SWEEP.yaml`: a sweep, ready to run, and the options of the targets
// that it can be generated for. Every key is in docs/sweep.md. All mistakes of a file are reported
// together, each with file and line. Pure but for LoadSweepConfig, which reads one file.

#include <optional>
#include <string>

#include "base/result.h"
#include "sweep/kubernetes_manifest.h"
#include "sweep/serving_manifest.h"
#include "sweep/skypilot_task.h"
#include "sweep/slurm_script.h"
#include "sweep/sweep.h"
#include "sweep/tpe.h"

namespace ebb::config {

struct SweepConfig {
  std::string source;  ///< path of the file, for messages
  sweep::Sweep sweep;
  sweep::KubernetesOptions kubernetes;
  sweep::SlurmOptions slurm;
  std::optional<sweep::SkypilotOptions> skypilot;  ///< absent: the file does not say which clouds
  sweep::ServingOptions serving;                   ///< without a model, nothing is served
};

/// A sweep whose trials are proposed one after the other by a Bayesian search.
struct SweepSearch {
  SweepConfig config;  ///< configuration with the first trial
  sweep::SearchPlan plan;
  sweep::Definition definition;  ///< definition of a trial

  /// The trial with `settings`, which follows the trials with the parameters in `earlier`. An Error
  /// says why it cannot be a trial.
  Result<sweep::Experiment> Trial(std::vector<std::vector<sweep::Setting>> earlier,
                                  std::vector<sweep::Setting> settings) const;
};

/// Reads a file with `search: {method: bayesian}`; other files are an Error. `name`: a path, or the
/// name of a file that ships with Ebb (platform/shipped_files.h).
Result<SweepSearch> LoadSweepSearch(const std::string& name);

/// `name` is for messages, and its stem is the default name of the sweep. A Bayesian search is
/// refused because its trials are not known yet.
Result<SweepConfig> ParseSweepConfig(const std::string& text, const std::string& name);
/// `name`: as for LoadSweepSearch.
Result<SweepConfig> LoadSweepConfig(const std::string& name);

}  // namespace ebb::config
