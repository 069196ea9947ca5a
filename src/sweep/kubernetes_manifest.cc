#include "sweep/kubernetes_manifest.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "sweep/shell_quote.h"
#include "sweep/target_name.h"
#include "sweep/yaml_text.h"

namespace ebb::sweep {
namespace {

constexpr std::size_t kLongestLabel = 63;

// Keys of Compute Gardener's experiments and of its scheduler. Here they are on the RayJob, for the
// controller that releases it.
const std::string kExperimentKey = "compute-gardener.io/";
const std::string kSchedulerKey = "compute-gardener-scheduler.kubernetes.io/";

std::int64_t WholeSeconds(Duration duration) {
  return std::chrono::ceil<std::chrono::seconds>(duration).count();
}

// Kubernetes accepts "96h0m0s" and "5400s" for durations; seconds can express every duration.
std::string GoDuration(Duration duration) {
  const std::int64_t seconds = WholeSeconds(duration);
  if (seconds % 3600 == 0) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds) + "s";
}

Yaml Annotations(const Sweep& sweep, const Experiment& experiment,
                 const KubernetesOptions& options) {
  const core::Tier& tier = sweep.TierOf(experiment);
  std::vector<Yaml::Entry> entries{{kExperimentKey + "job-type", options.job_type},
                                   {kExperimentKey + "technique", options.technique},
                                   {kExperimentKey + "tier", tier.name},
                                   {kExperimentKey + "tier-rationale", experiment.rationale},
                                   {kExperimentKey + "config", Describe(experiment)}};
  if (tier.threshold)
    entries.emplace_back(kSchedulerKey + "carbon-intensity-threshold",
                         FormatExact(tier.threshold->g_per_kwh));
  entries.emplace_back(kSchedulerKey + "max-scheduling-delay", GoDuration(tier.max_delay));
  entries.emplace_back(kSchedulerKey + "estimated-runtime-hours",
                       FormatExact(std::round(1e4 * Hours(experiment.duration)) / 1e4));
  return Yaml::Map(std::move(entries));
}

Yaml Variable(const char* name, const std::string& value) {
  return Yaml::Map({{"name", name}, {"value", value}});
}

Yaml Mount(const char* name, const std::string& path) {
  return Yaml::Map({{"name", name}, {"mountPath", path}});
}

// Volumes and their mounts; the two lists have the same order.
struct Volumes {
  std::vector<Yaml> volumes, mounts;

  void Add(const char* name, const std::string& path, Yaml::Entry source) {
    volumes.push_back(Yaml::Map({{"name", name}, std::move(source)}));
    mounts.push_back(Mount(name, path));
  }
  void AddScript(const KubernetesOptions& options) {
    if (options.script_config_map.empty()) return;
    Add("training-script", options.script_path,
        {"configMap",
         Yaml::Map({{"name", options.script_config_map}, {"defaultMode", Yaml::Number(0755)}})});
  }
};

Yaml Resources(const std::vector<Yaml::Entry>& gpus, const char* cpu, const char* memory) {
  std::vector<Yaml::Entry> entries = gpus;
  entries.emplace_back("cpu", cpu);
  entries.emplace_back("memory", memory);
  return Yaml::Map(std::move(entries));
}

Yaml Port(int number, const char* name) {
  return Yaml::Map({{"containerPort", Yaml::Number(number)}, {"name", name}});
}

Yaml HeadGroup(const KubernetesOptions& options) {
  Volumes volumes;
  volumes.AddScript(options);
  Yaml container =
      Yaml::Map({{"name", "ray-head"},
                 {"image", options.image},
                 {"ports", Yaml::List({Port(6379, "gcs"), Port(8265, "dashboard"),
                                       Port(10001, "client"), Port(8000, "serve")})},
                 {"resources", Yaml::Map({{"limits", Resources({}, "2", "4Gi")},
                                          {"requests", Resources({}, "500m", "2Gi")}})},
                 {"env", Yaml::List({Variable("RAY_LOG_LEVEL", "INFO")})},
                 {"volumeMounts", Yaml::List(volumes.mounts)}});
  return Yaml::Map(
      {{"serviceType", "ClusterIP"},
       {"rayStartParams", Yaml::Map({{"dashboard-host", "0.0.0.0"}, {"num-cpus", "0"}})},
       {"template",
        Yaml::Map({{"spec", Yaml::Map({{"containers", Yaml::List({std::move(container)})},
                                       {"volumes", Yaml::List(volumes.volumes)}})}})}});
}

Yaml WorkerContainer(const Sweep& sweep, const KubernetesOptions& options, const Volumes& volumes) {
  const std::vector<Yaml::Entry> gpus{
      {options.gpu_resource, Yaml::Number(sweep.common.job.devices)}};
  std::vector<Yaml> variables{Variable("RAY_LOG_LEVEL", "INFO"),
                              Variable("NVIDIA_VISIBLE_DEVICES", "all"),
                              Variable("NVIDIA_DRIVER_CAPABILITIES", "compute,utility")};
  if (!options.volume_claim.empty()) {
    variables.push_back(Variable("HF_HOME", options.volume_path + "/.cache"));
    variables.push_back(Variable("HF_HUB_CACHE", options.volume_path + "/.cache/huggingface/hub"));
  }
  return Yaml::Map({{"name", "ray-worker"},
                    {"image", options.image},
                    {"resources", Yaml::Map({{"limits", Resources(gpus, "8", "32Gi")},
                                             {"requests", Resources(gpus, "4", "24Gi")}})},
                    {"env", Yaml::List(std::move(variables))},
                    {"volumeMounts", Yaml::List(volumes.mounts)}});
}

Yaml WorkerPod(const Sweep& sweep, const KubernetesOptions& options) {
  Volumes volumes;
  volumes.AddScript(options);
  volumes.Add("dshm", "/dev/shm",
              {"emptyDir", Yaml::Map({{"medium", "Memory"}, {"sizeLimit", "4Gi"}})});
  if (!options.volume_claim.empty())
    volumes.Add("model-storage", options.volume_path,
                {"persistentVolumeClaim", Yaml::Map({{"claimName", options.volume_claim}})});
  std::vector<Yaml::Entry> spec;
  if (!options.runtime_class.empty()) spec.emplace_back("runtimeClassName", options.runtime_class);
  spec.emplace_back("securityContext", Yaml::Map({{"fsGroup", Yaml::Number(1000)},
                                                  {"runAsUser", Yaml::Number(1000)},
                                                  {"runAsGroup", Yaml::Number(1000)}}));
  spec.emplace_back("containers", Yaml::List({WorkerContainer(sweep, options, volumes)}));
  spec.emplace_back("volumes", Yaml::List(volumes.volumes));
  std::vector<Yaml::Entry> selector;
  for (const auto& [key, value] : options.node_selector) selector.emplace_back(key, value);
  if (!selector.empty()) spec.emplace_back("nodeSelector", Yaml::Map(std::move(selector)));
  spec.emplace_back(
      "tolerations",
      Yaml::List({Yaml::Map(
          {{"key", options.gpu_resource}, {"operator", "Exists"}, {"effect", "NoSchedule"}})}));
  return Yaml::Map({{"spec", Yaml::Map(std::move(spec))}});
}

Yaml WorkerGroup(const Sweep& sweep, const KubernetesOptions& options) {
  return Yaml::Map(
      {{"replicas", Yaml::Number(1)},
       {"minReplicas", Yaml::Number(0)},
       {"maxReplicas", Yaml::Number(1)},
       {"groupName", "gpu-worker"},
       {"rayStartParams", Yaml::Map({{"num-gpus", std::to_string(sweep.common.job.devices)}})},
       {"template", WorkerPod(sweep, options)}});
}

Yaml Submitter(const KubernetesOptions& options) {
  Yaml container =
      Yaml::Map({{"name", "job-submitter"},
                 {"image", options.image},
                 {"resources", Yaml::Map({{"limits", Resources({}, "500m", "1Gi")},
                                          {"requests", Resources({}, "100m", "512Mi")}})}});
  return Yaml::Map({{"spec", Yaml::Map({{"containers", Yaml::List({std::move(container)})},
                                        {"restartPolicy", "Never"}})}});
}

Yaml Spec(const Sweep& sweep, const Experiment& experiment, const KubernetesOptions& options) {
  const Duration deadline = sweep.TierOf(experiment).max_delay + TimeLimitOf(sweep, experiment);
  return Yaml::Map({{"suspend", Yaml::Bool(true)},
                    {"entrypoint", ShellCommand(experiment.command)},
                    {"shutdownAfterJobFinishes", Yaml::Bool(true)},
                    {"clusterSelector", Yaml::Map({})},
                    {"rayClusterSpec",
                     Yaml::Map({{"rayVersion", options.ray_version},
                                {"enableInTreeAutoscaling", Yaml::Bool(true)},
                                {"headGroupSpec", HeadGroup(options)},
                                {"workerGroupSpecs", Yaml::List({WorkerGroup(sweep, options)})}})},
                    {"submitterPodTemplate", Submitter(options)},
                    {"ttlSecondsAfterFinished", Yaml::Number(WholeSeconds(options.keep_finished))},
                    {"activeDeadlineSeconds", Yaml::Number(WholeSeconds(deadline))}});
}

// The API server would refuse an invalid label only later, so it is refused here.
bool ValidLabelValue(const std::string& text) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.size() > kLongestLabel) return false;
  if (text.empty()) return true;
  return word(text.front()) && word(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return word(c) || c == '-' || c == '_' || c == '.'; });
}

bool ValidLabelKey(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return !text.empty() && ValidLabelValue(text);
  const std::string prefix = text.substr(0, slash), name = text.substr(slash + 1);
  return !name.empty() && ValidLabelValue(name) && !prefix.empty() && prefix.size() <= 253 &&
         prefix.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos;
}

bool IsLabel(const std::string& text) { return KubernetesName(text, kLongestLabel) == text; }

}  // namespace

std::vector<std::string> MistakesIn(const KubernetesOptions& options) {
  std::vector<std::string> mistakes;
  const auto want = [&](bool good, const std::string& key, const std::string& value,
                        const std::string& what) {
    if (!good) mistakes.push_back(key + " \"" + value + "\" is not " + what);
  };
  want(IsLabel(options.name_space), "namespace", options.name_space,
       "a name of lower-case letters, digits and '-', at most 63 characters");
  for (const auto& [key, value] : {std::pair{"runtime_class", options.runtime_class},
                                   {"script_config_map", options.script_config_map},
                                   {"volume_claim", options.volume_claim}})
    want(value.empty() || IsLabel(value), key, value,
         "a name of lower-case letters, digits and '-', at most 63 characters");
  want(ValidLabelKey(options.gpu_resource), "gpu_resource", options.gpu_resource,
       "a resource like nvidia.com/gpu");
  for (const auto& [key, value] : options.node_selector) {
    want(ValidLabelKey(key), "node_selector", key, "a label like nvidia.com/gpu.present");
    want(ValidLabelValue(value), "node_selector", value,
         "a label's value: letters, digits, '-', '_' and '.', at most 63 characters");
  }
  return mistakes;
}

std::string KubernetesManifest(const Sweep& sweep, const Experiment& experiment,
                               const KubernetesOptions& options) {
  return Yaml::Map(
             {{"apiVersion", "ray.io/v1"},
              {"kind", "RayJob"},
              {"metadata", Yaml::Map({{"name", KubernetesName(experiment.name)},
                                      {"namespace", options.name_space},
                                      {"annotations", Annotations(sweep, experiment, options)}})},
              {"spec", Spec(sweep, experiment, options)}})
      .Document();
}

Result<std::vector<GeneratedFile>> KubernetesFiles(const Sweep& sweep,
                                                   const KubernetesOptions& options) {
  return FilePerExperiment(sweep, {[](const std::string& name) { return KubernetesName(name); },
                                   ".yaml", "at most 47 lower-case letters, digits and '-'",
                                   [&](const Experiment& experiment) {
                                     return KubernetesManifest(sweep, experiment, options);
                                   }});
}

}  // namespace ebb::sweep
