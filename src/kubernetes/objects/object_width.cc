#include "kubernetes/objects/object_width.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using Form = WidthField::Form;

constexpr const char* kOthers =
    "Ebb changes the number of devices only of Indexed Jobs, Jobs of one Pod, RayJobs and "
    "RayClusters";

// A name as a part of a JSON pointer.
std::string Escaped(std::string_view name) {
  std::string text;
  for (const char c : name) text += c == '/' ? "~1" : c == '~' ? "~0" : std::string(1, c);
  return text;
}

int NumberNoted(const JsonNode& object, std::string_view key) {
  const std::string text = TextAt(object, "/metadata/annotations/" + Escaped(key));
  return static_cast<int>(std::clamp<long long>(ParseInteger(text).value_or(0), 0, 1 << 20));
}

std::optional<int> WholeAt(const JsonNode& object, const std::string& pointer) {
  const auto number = NumberAt(object, pointer);
  if (!number || *number < 0 || *number > 1 << 20) return std::nullopt;
  return static_cast<int>(*number);
}

// A Pod's devices: its GPUs, or its cores if it has none. Nothing if they are no whole number.
std::optional<int> DevicesOf(const PodShape& shape) {
  const double devices = shape.gpus > 0 ? shape.gpus : shape.cores;
  if (devices < 1 || devices > 1 << 20 || devices != std::floor(devices)) return std::nullopt;
  return static_cast<int>(devices);
}

void AddPlaceToTell(const JsonNode& object, const std::string& pods, ObjectWidth& width) {
  const std::string place = pods + "/metadata/annotations/" + Escaped(kDevicesKey);
  if (object.At(place)) width.told_in.push_back(place);
}

// Jobs ------------------------------------------------------------------------------------------

// A Job keeps its completed indexes; the API server takes both numbers only if they are the same.
void ReadIndexed(const JsonNode& job, ObjectWidth& width) {
  const int parallelism = WholeAt(job, "/spec/parallelism").value_or(1);
  if (WholeAt(job, "/spec/completions").value_or(0) != parallelism || parallelism == 0) {
    width.why_not = "its parallelism and its completions are not the same number";
    return;
  }
  const auto each = DevicesOf(width.shape);
  if (!each) {
    width.why_not = "its Pods do not ask for a whole number of devices";
    return;
  }
  width.each = *each;
  width.count = parallelism;
  width.hosts = 1;
  for (const char* field : {"/spec/parallelism", "/spec/completions"})
    width.fields.push_back({field, Form::kNumber, parallelism});
}

// The GPUs of its container; a request, if there is one, must be as large as the limit.
void ReadOnePod(const JsonNode& job, ObjectWidth& width) {
  const std::string place = "/spec/template/spec/containers";
  const JsonNode* containers = job.At(place);
  for (std::size_t i = 0; containers && i < containers->items.size(); ++i)
    for (const char* part : {"/resources/limits", "/resources/requests"})
      if (const JsonNode* amounts = containers->items[i].At(part))
        for (const JsonMember& member : amounts->members)
          if (IsGpu(member.name))
            width.fields.push_back(
                {place + "/" + std::to_string(i) + part + "/" + Escaped(member.name), Form::kText,
                 static_cast<int>(QuantityOf(member.value).value_or(0))});
  const bool is_one = std::ranges::all_of(width.fields, [&](const WidthField& field) {
    return field.is == static_cast<int>(width.shape.gpus);
  });
  if (width.fields.empty() || width.shape.gpus <= 0 || !is_one) {
    width.why_not = width.shape.gpus > 0 ? "several of its containers or resources are GPUs"
                                         : "its one Pod asks for no GPUs";
    return;
  }
  width.each = 1;
  width.count = width.fields.front().is;
  width.by_template = true;
}

void ReadJob(const JsonNode& job, ObjectWidth& width) {
  AddPlaceToTell(job, "/spec/template", width);
  if (TextAt(job, "/spec/completionMode") == "Indexed") return ReadIndexed(job, width);
  const int parallelism = WholeAt(job, "/spec/parallelism").value_or(1);
  if (parallelism == 1 && WholeAt(job, "/spec/completions").value_or(1) == 1)
    return ReadOnePod(job, width);
  width.why_not = "its Pods have no index (completionMode: Indexed)";
}

// Ray -------------------------------------------------------------------------------------------

// KubeRay keeps the replicas between minReplicas and maxReplicas.
void ReadWorkers(const JsonNode& object, const std::string& place, ObjectWidth& width) {
  const auto replicas = WholeAt(object, place + "/replicas");
  const int hosts = std::max(1, WholeAt(object, place + "/numOfHosts").value_or(1));
  const auto each = DevicesOf(width.shape);
  if (!replicas || *replicas == 0 || !each) {
    width.why_not = "its group of workers with GPUs has no replicas of its own";
    return;
  }
  width.each = *each * hosts;
  width.count = *replicas;
  width.hosts = hosts;
  width.fields.push_back({place + "/replicas", Form::kNumber, *replicas});
  if (const auto least = WholeAt(object, place + "/minReplicas"))
    width.fields.push_back({place + "/minReplicas", Form::kAtMost, *least});
  if (const auto most = NumberAt(object, place + "/maxReplicas"))
    width.fields.push_back({place + "/maxReplicas", Form::kAtLeast,
                            static_cast<int>(std::clamp<std::int64_t>(*most, 0, 1 << 20))});
}

void ReadRay(const JsonNode& object, const std::string& cluster, ObjectWidth& width) {
  if (IsTrueAt(object, cluster + "/enableInTreeAutoscaling")) {
    width.why_not = "Ray's autoscaler decides how many workers it has";
    return;
  }
  AddPlaceToTell(object, cluster + "/headGroupSpec/template", width);
  const std::string groups = cluster + "/workerGroupSpecs";
  const JsonNode* found = object.At(groups);
  std::vector<std::string> with_gpus;
  for (std::size_t i = 0; found && i < found->items.size(); ++i) {
    const std::string place = groups + "/" + std::to_string(i);
    AddPlaceToTell(object, place + "/template", width);
    PodRequests requests;
    if (const JsonNode* pods = found->items[i].At("/template/spec")) AddPod(*pods, 1, requests);
    if (requests.gpus <= 0) continue;
    with_gpus.push_back(place);
    width.shape = requests.shapes.front();
  }
  if (with_gpus.size() == 1) return ReadWorkers(object, with_gpus.front(), width);
  width.why_not = with_gpus.empty() ? "none of its groups of workers asks for GPUs"
                                    : "several of its groups of workers ask for GPUs";
}

// Patches ---------------------------------------------------------------------------------------

void Follow(const WidthField& field, int number, Json& patch) {
  if (field.form == Form::kAtMost && field.is <= number) return;
  if (field.form == Form::kAtLeast && field.is >= number) return;
  if (field.is == number) return;
  const Json value = field.form == Form::kText ? Json(std::to_string(number)) : Json(number);
  patch.push_back({{"op", "replace"}, {"path", field.pointer}, {"value", value}});
}

}  // namespace

bool ObjectWidth::CanBe(int devices) const {
  if (devices == now) return true;
  return why_not.empty() && each > 0 && devices > fixed() && (devices - fixed()) % each == 0;
}

ObjectWidth WidthOf(const GatedKind& kind, const JsonNode& object, const PodRequests& requests) {
  ObjectWidth width;
  width.given = NumberNoted(object, kDevicesKey);
  width.before = NumberNoted(object, kOwnDevicesKey);
  width.has_annotations = object.At("/metadata/annotations") != nullptr;
  if (!requests.shapes.empty()) width.shape = requests.shapes.front();
  const bool by_claims = std::ranges::any_of(
      requests.shapes, [](const PodShape& shape) { return !shape.claims.empty(); });
  if (by_claims)
    width.why_not = "its Pods get their devices by claims";
  else if (kind.kind == "Job")
    ReadJob(object, width);
  else if (kind.kind == "RayJob")
    ReadRay(object, "/spec/rayClusterSpec", width);
  else if (kind.kind == "RayCluster")
    ReadRay(object, "/spec", width);
  else
    width.why_not = kind.kind == "Workload" ? "Kueue decides how many Pods it has" : kOthers;
  return width;
}

void SetWidth(int devices, ObjectWidth& width) {
  width.now = devices;
  const bool is_as_given = width.given == devices && width.before > 0 && width.why_not.empty();
  width.own = is_as_given ? width.before : devices;
}

PodRequests RequestsAt(const PodRequests& requests, const ObjectWidth& width, int devices) {
  if (devices == width.now || !width.CanBe(devices)) return requests;
  PodRequests at = requests;
  const int more = (devices - width.now) / width.each;
  const auto shape = std::ranges::find_if(at.shapes, [&](const PodShape& of) {
    return of.gpus == width.shape.gpus && of.cores == width.shape.cores &&
           of.gpu_model == width.shape.gpu_model;
  });
  if (shape == at.shapes.end()) return requests;
  if (width.hosts == 0) {
    shape->gpus += more;
    at.gpus += more;
    return at;
  }
  const int pods = more * width.hosts;
  shape->pods += pods;
  at.pods += pods;
  at.gpus += pods * shape->gpus;
  at.cores += pods * shape->cores;
  return at;
}

std::string WidthPatch(const GatedKind& kind, const ObjectWidth& width, int devices,
                       std::map<std::string, std::string> annotations, const std::string& version) {
  annotations[std::string(kDevicesKey)] = std::to_string(devices);
  annotations[std::string(kOwnDevicesKey)] = std::to_string(width.own);
  Json patch = Json::array();
  const auto add = [&](const char* op, const std::string& path, Json value) {
    patch.push_back({{"op", op}, {"path", path}, {"value", std::move(value)}});
  };
  if (!version.empty()) add("replace", "/metadata/resourceVersion", version);
  const int number = (devices - width.fixed()) / width.each;
  for (const WidthField& field : width.fields) Follow(field, number, patch);
  if (width.tells_pods)
    for (const std::string& place : width.told_in) add("replace", place, std::to_string(devices));
  if (!width.has_annotations) add("add", "/metadata/annotations", Json::object());
  for (const auto& [key, text] : annotations)
    add("add", "/metadata/annotations/" + Escaped(key), text);
  add("add", std::string(kind.suspend), false);
  return patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::kubernetes
