#pragma once
// One RayJob manifest (KubeRay, ray.io/v1) per experiment: the fields that Compute Gardener's
// published sweep has, with its two mistakes corrected. The job waits as a whole (suspend: true, so
// no pod exists before the whole job may run; the pods carry no gates of their own), and its
// deadline covers the longest wait plus the longest run.
//
// RayJob's entrypoint is a shell command by its API (Ray runs it with a shell), so every argument
// is quoted for a POSIX shell. Pure.

#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/generated_file.h"
#include "sweep/sweep.h"

namespace ebb::sweep {

/// Options that differ from cluster to cluster; the defaults are the published ones.
struct KubernetesOptions {
  std::string name_space = "ray-jobs";
  std::string image = "dmasselink/ray-ml-modern:2.30.0";
  std::string ray_version = "2.30.0";
  std::string runtime_class = "nvidia";  ///< empty: the cluster's default
  std::string gpu_resource = "nvidia.com/gpu";
  std::vector<std::pair<std::string, std::string>> node_selector{
      {"nvidia.com/gpu.present", "true"}};
  std::string script_config_map = "llm-finetuning-script";  ///< empty: the image has the program
  std::string script_path = "/app";
  std::string volume_claim = "llm-finetuned-models-rwx";  ///< empty: no volume
  std::string volume_path = "/mnt/models";
  std::string job_type = "llm-finetuning";
  std::string technique = "lora";
  Duration keep_finished{std::chrono::hours{10}};
};

/// Mistakes in the options, by key; empty if there is none.
std::vector<std::string> MistakesIn(const KubernetesOptions& options);

std::string KubernetesManifest(const Sweep& sweep, const Experiment& experiment,
                               const KubernetesOptions& options);
/// Makes "NAME.yaml" for each experiment. An Error: two experiments would get the same name.
Result<std::vector<GeneratedFile>> KubernetesFiles(const Sweep& sweep,
                                                   const KubernetesOptions& options);

}  // namespace ebb::sweep
