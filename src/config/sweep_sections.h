#pragma once
// The sections of a sweep file one by one: what each may hold and what it becomes. Mistakes go to
// `problems`; a section with mistakes gives what it can, and nobody uses it.

#include <string>
#include <vector>

#include "config/key_reader.h"
#include "sweep/kubernetes_manifest.h"
#include "sweep/serving_manifest.h"
#include "sweep/slurm_script.h"
#include "sweep/sweep.h"
#include "sweep/tpe.h"

namespace ebb::config {

/// "grid", "list" or "random" parameters, into the definition. `search`: how many random ones and
/// by which seed; nullptr: the file does not say. Of a Bayesian search, the first trial and `plan`.
void ReadParameters(const YamlNode& node, const YamlNode* search, sweep::Definition& definition,
                    std::optional<sweep::SearchPlan>& plan, Problems& problems);
void ReadSample(const YamlNode& node, sweep::Definition& definition, Problems& problems);
void ReadTierRules(const YamlNode& node, sweep::Definition& definition, Problems& problems);
void ReadEstimates(const YamlNode& node, sweep::Definition& definition, Problems& problems);
/// A list of words, each a template.
void ReadCommand(const YamlNode& node, std::vector<sweep::TemplateText>& command,
                 Problems& problems);
/// Experiments written out one by one, each with everything; their tiers must be in `tiers`.
void ReadExperiments(const YamlNode& node, const std::vector<core::Tier>& tiers,
                     std::vector<sweep::Experiment>& experiments, Problems& problems);
void ReadHalving(const YamlNode& node, std::optional<sweep::HalvingOptions>& halving,
                 Problems& problems);
/// `checkpointable`: programs write checkpoints.
void ReadBudget(const YamlNode& node, bool checkpointable, core::Budget& budget,
                Problems& problems);
/// Of all experiments together.
void ReadSweepBudget(const YamlNode& node, core::Budget& budget, Problems& problems);
void ReadKubernetes(const YamlNode& node, sweep::KubernetesOptions& options, Problems& problems);
void ReadSlurm(const YamlNode& node, sweep::SlurmOptions& options, Problems& problems);

/// What serves the winner (sweep/serving_manifest.h).
void ReadServing(const YamlNode& node, sweep::ServingOptions& options, Problems& problems);

}  // namespace ebb::config
