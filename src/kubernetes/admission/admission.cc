#include "kubernetes/admission/admission.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/base64.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

constexpr int kBadRequest = 400;
constexpr const char* kVersion = "admission.k8s.io/v1";
constexpr const char* kDefaultScheduler = "default-scheduler";
constexpr std::size_t kLongestWarning = 256;  // the API server cuts longer ones off
constexpr std::size_t kMostWarnings = 8;

// Changes to an object, and remarks for its owner.
struct Changes {
  Json patch = Json::array();
  std::vector<std::string> warnings;

  void Add(const std::string& path, Json value) {
    patch.push_back({{"op", "add"}, {"path", path}, {"value", std::move(value)}});
  }
};

// Escapes the name of a member for a JSON pointer.
std::string Escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '~')
      text += "~0";
    else if (c == '/')
      text += "~1";
    else
      text += c;
  }
  return text;
}

// Returns false if a value on the path is not an object.
bool Set(const JsonNode& object, std::string_view pointer, Json value, Changes& changes) {
  for (auto end = pointer.find('/', 1); end != std::string_view::npos;
       end = pointer.find('/', end + 1)) {
    const std::string parent(pointer.substr(0, end));
    const JsonNode* found = object.At(parent);
    if (!found || found->is_null())
      changes.Add(parent, Json::object());
    else if (!found->is_object())
      return false;
  }
  changes.Add(std::string(pointer), std::move(value));
  return true;
}

// Rewrites the scheduler of a pod, and of pod templates at any depth.
void RewriteSchedulers(const JsonNode& node, const std::string& path, Changes& changes) {
  const JsonNode* containers = node.At("/spec/containers");
  if (containers && containers->is_list()) {
    if (TextAt(node, "/spec/schedulerName") == kGardenerScheduler)
      changes.patch.push_back({{"op", "replace"},
                               {"path", path + "/spec/schedulerName"},
                               {"value", kDefaultScheduler}});
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i)
    RewriteSchedulers(node.items[i], path + "/" + std::to_string(i), changes);
  for (const JsonMember& member : node.members)
    RewriteSchedulers(member.value, path + "/" + Escaped(member.name), changes);
}

// Adds the fields that the API server sets only after admission and that reading an object
// requires.
JsonNode Completed(JsonNode object) {
  const auto metadata = std::ranges::find(object.members, "metadata", &JsonMember::name);
  if (metadata == object.members.end()) return object;
  const auto text = [](const char* name, const char* value) {
    JsonMember member{name, {}};
    member.value.type = JsonNode::Type::kText;
    member.value.text = value;
    return member;
  };
  auto& members = metadata->value.members;
  members.insert(members.begin(), {text("name", "new"), text("uid", "new"),
                                   text("creationTimestamp", "2000-01-01T00:00:00Z")});
  return object;
}

// Reads a new object as one of `kind`; a pod is read as any kind, for its own annotations.
std::optional<GatedObject> ReadNew(const GatedKind& kind, const JsonNode& object,
                                   const ObjectDefaults& defaults) {
  return ReadObject(kind, Completed(object), defaults);
}

void Suspend(const GatedKind& kind, const JsonNode& object, bool in_chosen_namespace,
             const ObjectDefaults& defaults, Changes& changes) {
  const auto read = ReadNew(kind, object, defaults);
  if (!read || read->follows) return;
  if (!read->chosen && !in_chosen_namespace) {
    if (!read->declined) changes.warnings = read->mistyped;
    return;
  }
  if (const std::string why = WhyNotSuspendable(kind, object); !why.empty())
    return changes.warnings.push_back(why);
  if (read->declined) return;
  changes.warnings = read->problems;
  if (!IsTrueAt(object, kind.suspend) && !Set(object, kind.suspend, true, changes))
    changes.warnings.push_back("the " + std::string(kind.kind) + " cannot be suspended: " +
                               std::string(kind.suspend) + " has no place in it");
}

// Gates a pod only if it has the label itself: a namespace's label applies to objects that begin as
// a whole.
void Gate(const JsonNode& pod, Changes& changes) {
  if (TextAt(pod, "/metadata/labels/ebb~1wait") != "true") return;
  const auto read = ReadNew(GatedKinds().front(), pod, {});
  if (!read || read->declined || read->follows) return;
  changes.warnings = read->mistyped;
  if (!TextAt(pod, "/spec/nodeName").empty()) {
    changes.warnings.push_back("the pod does not wait: it names its node");
    return;
  }
  const Json gate{{"name", kPodGate}};
  const JsonNode* gates = pod.At("/spec/schedulingGates");
  if (!gates || !gates->is_list()) {
    Set(pod, "/spec/schedulingGates", Json::array({gate}), changes);
    return;
  }
  const bool is_gated = std::ranges::any_of(
      gates->items, [](const JsonNode& entry) { return entry.TextOf("name") == kPodGate; });
  if (!is_gated) changes.Add("/spec/schedulingGates/-", gate);
}

const GatedKind* KindOf(const JsonNode& request) {
  for (const GatedKind& kind : GatedKinds())
    if (TextAt(request, "/kind/kind") == kind.kind &&
        TextAt(request, "/kind/group") == kind.group &&
        TextAt(request, "/kind/version") == kind.version)
      return &kind;
  return nullptr;
}

bool IsPod(const JsonNode& request) {
  return TextAt(request, "/kind/kind") == "Pod" && TextAt(request, "/kind/group").empty() &&
         TextAt(request, "/kind/version") == "v1";
}

// An object with the value "false" is not changed at all.
bool WantsNothing(const JsonNode& object) {
  return TextAt(object, "/metadata/labels/ebb~1wait") == "false" ||
         TextAt(object, "/metadata/annotations/ebb~1wait") == "false";
}

// Only new objects are changed: otherwise the next change of a released object would hold it back.
Changes ChangesFor(const JsonNode& request, bool in_chosen_namespace,
                   const AdmissionOptions& options) {
  Changes changes;
  const GatedKind* kind = KindOf(request);
  const bool is_new = request.TextOf("operation") == "CREATE" &&
                      request.TextOf("subResource").empty() && (kind || IsPod(request));
  if (!is_new || options.dry_run) return changes;
  const JsonNode* object = request.Find("object");
  const JsonNode* spec = object ? object->Find("spec") : nullptr;
  if (!object || !object->is_object() || (spec && !spec->is_object() && !spec->is_null())) {
    changes.warnings.push_back("the object cannot be read, and does not wait");
    return changes;
  }
  if (WantsNothing(*object)) return changes;
  if (kind) {
    Suspend(*kind, *object, in_chosen_namespace, options.defaults, changes);
    if (spec) RewriteSchedulers(*spec, "/spec", changes);
  } else {
    Gate(*object, changes);
    RewriteSchedulers(*object, "", changes);
  }
  return changes;
}

std::string Dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string AnswerWith(const std::string& uid, const Changes& changes) {
  Json response{{"uid", uid}, {"allowed", true}};
  if (!changes.patch.empty()) {
    response["patchType"] = "JSONPatch";
    response["patch"] = ToBase64(Dump(changes.patch));
  }
  for (const std::string& warning : changes.warnings) {
    if (response["warnings"].size() == kMostWarnings) break;
    response["warnings"].push_back(("Ebb: " + warning).substr(0, kLongestWarning));
  }
  return Dump({{"apiVersion", kVersion}, {"kind", "AdmissionReview"}, {"response", response}});
}

}  // namespace

AdmissionAnswer Review(std::string_view body, bool in_chosen_namespace,
                       const AdmissionOptions& options) {
  const auto review = ParseJson(body, "");
  const JsonNode* request = review ? review->Find("request") : nullptr;
  const std::string uid = request ? request->TextOf("uid") : "";
  if (uid.empty() || review->TextOf("kind") != "AdmissionReview" ||
      review->TextOf("apiVersion") != kVersion)
    return {kBadRequest,
            Dump({{"error",
                   {{"what", "the body is not an AdmissionReview of " + std::string(kVersion)}}}})};
  return {200, AnswerWith(uid, ChangesFor(*request, in_chosen_namespace, options))};
}

}  // namespace ebb::kubernetes
