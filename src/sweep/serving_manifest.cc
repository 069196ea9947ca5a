#include "sweep/serving_manifest.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "sweep/target_name.h"
#include "sweep/yaml_text.h"

namespace ebb::sweep {
namespace {

constexpr int kPort = 8000;
constexpr std::array<int, 6> kRanks{8, 16, 32, 64, 128, 256};
// The start may take long: a model of some ten GB is read from the volume first.
constexpr int kStartTries = 120, kSecondsBetween = 10;
constexpr const char* kAppLabel = "app.kubernetes.io/name";

Result<std::string> Rendered(const std::string& text, const std::string& key,
                             const Experiment& experiment) {
  EBB_ASSIGN_OR_RETURN(const TextTemplate parsed, TextTemplate::Parse(text));
  std::vector<Setting> settings = experiment.settings;
  if (!FindValue(settings, "name")) settings.push_back({"name", Value::From(experiment.name)});
  auto made = parsed.Render(settings);
  if (!made) {
    Error error = made.error();
    error.where = "serving." + key;
    return Fail(error);
  }
  return made;
}

Yaml Probe(const char* path, int tries) {
  return Yaml::Map({{"httpGet", Yaml::Map({{"path", path}, {"port", Yaml::Number(kPort)}})},
                    {"periodSeconds", Yaml::Number(kSecondsBetween)},
                    {"failureThreshold", Yaml::Number(tries)}});
}

std::vector<Yaml> Arguments(const Experiment& experiment, const ServingOptions& options,
                            const std::string& adapter, int rank) {
  std::vector<Yaml> words{"--model",
                          options.model,
                          "--port",
                          std::to_string(kPort),
                          "--enable-lora",
                          "--max-lora-rank",
                          std::to_string(rank),
                          "--lora-modules",
                          KubernetesName(experiment.name) + "=" + adapter};
  if (options.gpus > 1) {
    words.emplace_back("--tensor-parallel-size");
    words.emplace_back(std::to_string(options.gpus));
  }
  if (options.max_model_len > 0) {
    words.emplace_back("--max-model-len");
    words.emplace_back(std::to_string(options.max_model_len));
  }
  return words;
}

Yaml Container(std::vector<Yaml> arguments, const ServingOptions& options,
               const KubernetesOptions& cluster) {
  std::vector<Yaml> variables, mounts{Yaml::Map({{"name", "dshm"}, {"mountPath", "/dev/shm"}})};
  if (!cluster.volume_claim.empty()) {
    variables.push_back(
        Yaml::Map({{"name", "HF_HOME"}, {"value", cluster.volume_path + "/.cache"}}));
    // The volume is mounted read-only, so the hub client must not download into it.
    variables.push_back(Yaml::Map({{"name", "HF_HUB_OFFLINE"}, {"value", "1"}}));
    mounts.push_back(Yaml::Map({{"name", "model-storage"},
                                {"mountPath", cluster.volume_path},
                                {"readOnly", Yaml::Bool(true)}}));
  }
  const Yaml gpus = Yaml::Map({{cluster.gpu_resource, Yaml::Number(options.gpus)}});
  return Yaml::Map(
      {{"name", "vllm"},
       {"image", options.image},
       {"args", Yaml::List(std::move(arguments))},
       {"env", Yaml::List(std::move(variables))},
       {"ports",
        Yaml::List({Yaml::Map({{"containerPort", Yaml::Number(kPort)}, {"name", "http"}})})},
       {"resources", Yaml::Map({{"limits", gpus}})},
       {"startupProbe", Probe("/health", kStartTries)},
       {"readinessProbe", Probe("/health", 1)},
       {"livenessProbe", Probe("/health", 3)},
       {"volumeMounts", Yaml::List(std::move(mounts))}});
}

Yaml PodSpec(Yaml container, const KubernetesOptions& cluster) {
  std::vector<Yaml::Entry> spec;
  if (!cluster.runtime_class.empty()) spec.emplace_back("runtimeClassName", cluster.runtime_class);
  spec.emplace_back("containers", Yaml::List({std::move(container)}));
  std::vector<Yaml> volumes{Yaml::Map(
      {{"name", "dshm"}, {"emptyDir", Yaml::Map({{"medium", "Memory"}, {"sizeLimit", "4Gi"}})}})};
  if (!cluster.volume_claim.empty())
    volumes.push_back(Yaml::Map(
        {{"name", "model-storage"},
         {"persistentVolumeClaim",
          Yaml::Map({{"claimName", cluster.volume_claim}, {"readOnly", Yaml::Bool(true)}})}}));
  spec.emplace_back("volumes", Yaml::List(std::move(volumes)));
  std::vector<Yaml::Entry> selector;
  for (const auto& [key, value] : cluster.node_selector) selector.emplace_back(key, value);
  if (!selector.empty()) spec.emplace_back("nodeSelector", Yaml::Map(std::move(selector)));
  spec.emplace_back(
      "tolerations",
      Yaml::List({Yaml::Map(
          {{"key", cluster.gpu_resource}, {"operator", "Exists"}, {"effect", "NoSchedule"}})}));
  return Yaml::Map(std::move(spec));
}

}  // namespace

std::optional<int> ServedRank(int rank) {
  const auto found = std::ranges::lower_bound(kRanks, rank);
  return rank < 1 || found == kRanks.end() ? std::nullopt : std::optional(*found);
}

Result<std::string> ServingManifest(const Experiment& experiment, const ServingOptions& options,
                                    const KubernetesOptions& cluster) {
  EBB_ASSIGN_OR_RETURN(const std::string adapter, Rendered(options.adapter, "adapter", experiment));
  EBB_ASSIGN_OR_RETURN(const std::string rank_text, Rendered(options.rank, "rank", experiment));
  const auto whole = ParseInteger(rank_text);
  const auto rank =
      whole && *whole <= kRanks.back() ? ServedRank(static_cast<int>(*whole)) : std::nullopt;
  if (!rank)
    return Fail({ExitCode::kConfiguration,
                 Quoted(rank_text) + " is not a rank that vLLM serves (1 to 256)", "serving.rank",
                 "name the parameter that holds it, like \"{r}\""});
  const std::string name = KubernetesName(experiment.name);
  const Yaml labels = Yaml::Map({{kAppLabel, name}});
  const auto metadata = [&] {
    return Yaml::Map({{"name", name}, {"namespace", cluster.name_space}, {"labels", labels}});
  };
  const Yaml pod =
      PodSpec(Container(Arguments(experiment, options, adapter, *rank), options, cluster), cluster);
  const Yaml deployment = Yaml::Map(
      {{"apiVersion", "apps/v1"},
       {"kind", "Deployment"},
       {"metadata", metadata()},
       {"spec", Yaml::Map({{"replicas", Yaml::Number(1)},
                           {"selector", Yaml::Map({{"matchLabels", labels}})},
                           {"template", Yaml::Map({{"metadata", Yaml::Map({{"labels", labels}})},
                                                   {"spec", pod}})}})}});
  const Yaml service = Yaml::Map(
      {{"apiVersion", "v1"},
       {"kind", "Service"},
       {"metadata", metadata()},
       {"spec", Yaml::Map({{"selector", labels},
                           {"ports", Yaml::List({Yaml::Map({{"name", "http"},
                                                            {"port", Yaml::Number(kPort)},
                                                            {"targetPort", "http"}})})}})}});
  return deployment.Document() + "---\n" + service.Document();
}

}  // namespace ebb::sweep
