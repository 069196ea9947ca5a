#pragma once
// Reads the sections of a sweep file one by one. Mistakes go to `problems`; a section with mistakes
// gives a partial result that is not used.

#include <string>
#include <vector>

#include "config/yaml/key_reader.h"
#include "sweep/kubernetes_manifest.h"
#include "sweep/serving_manifest.h"
#include "sweep/skypilot_task.h"
#include "sweep/slurm_script.h"
#include "sweep/sweep.h"
#include "sweep/tpe.h"

namespace ebb::config {

/// Reads "grid", "list" or "random" parameters into the definition. `search`: the number of random
/// draws and their seed; nullptr if the file does not give them. A Bayesian search gives the first
/// trial and `plan`.
void ReadParameters(const YamlNode& node, const YamlNode* search, sweep::Definition& definition,
                    std::optional<sweep::SearchPlan>& plan, Problems& problems);
void ReadSample(const YamlNode& node, sweep::Definition& definition, Problems& problems);
void ReadTierRules(const YamlNode& node, sweep::Definition& definition, Problems& problems);
void ReadEstimates(const YamlNode& node, sweep::Definition& definition, Problems& problems);
/// Reads a list of words, each of which is a template.
void ReadCommand(const YamlNode& node, std::vector<sweep::TemplateText>& command,
                 Problems& problems);
/// Reads experiments that are written out one by one, each complete; their tiers must be in
/// `tiers`.
void ReadExperiments(const YamlNode& node, const std::vector<core::Tier>& tiers,
                     std::vector<sweep::Experiment>& experiments, Problems& problems);
void ReadHalving(const YamlNode& node, std::optional<sweep::HalvingOptions>& halving,
                 Problems& problems);
/// `checkpointable`: whether the programs write checkpoints.
void ReadBudget(const YamlNode& node, bool checkpointable, core::Budget& budget,
                Problems& problems);
/// Reads the budget that all experiments share.
void ReadSweepBudget(const YamlNode& node, core::Budget& budget, Problems& problems);
void ReadKubernetes(const YamlNode& node, sweep::KubernetesOptions& options, Problems& problems);
void ReadSlurm(const YamlNode& node, sweep::SlurmOptions& options, Problems& problems);
void ReadSkypilot(const YamlNode& node, sweep::SkypilotOptions& options, Problems& problems);

/// Reads how the winner is served (sweep/serving_manifest.h).
void ReadServing(const YamlNode& node, sweep::ServingOptions& options, Problems& problems);

}  // namespace ebb::config
