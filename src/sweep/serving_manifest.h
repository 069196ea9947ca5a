#pragma once
// A Deployment of vLLM that serves the adapter of one experiment beside its base model, for use
// after a sweep of LoRA adapters. Path and rank are templates over the parameters of the experiment
// (text_template.h), with {name} for its name. Pure.
//
// Flags and ranks: vLLM, "LoRA Adapters" (https://docs.vllm.ai/en/stable/features/lora.html).

#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/kubernetes_manifest.h"

namespace ebb::sweep {

struct ServingOptions {
  std::string model;         ///< base model; empty: no model is served
  std::string adapter;       ///< template of the adapter's path
  std::string rank = "{r}";  ///< template of its rank
  std::string image = "vllm/vllm-openai:v0.6.6";
  int gpus = 1;
  int max_model_len = 0;  ///< 0: the model's own limit
};

/// The smallest rank of at least `rank` that vLLM supports; nothing if there is none.
std::optional<int> ServedRank(int rank);

/// Makes the Deployment. `cluster` gives namespace, GPUs, runtime class, node selector and volume,
/// as for the experiments. An Error: a template asks for a parameter that the experiment lacks, or
/// the rank cannot be served.
Result<std::string> ServingManifest(const Experiment& experiment, const ServingOptions& options,
                                    const KubernetesOptions& cluster);

}  // namespace ebb::sweep
