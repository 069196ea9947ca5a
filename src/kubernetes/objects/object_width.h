#pragma once
// The width of an object: the number of devices that its Pods ask for together, and the fields by
// which it can be changed while the object is held back. Pure.
//
//   Job with completionMode Indexed   parallelism and completions together
//   Job of one Pod                    the GPUs of its container, if the API server changes those
//   RayJob, RayCluster                replicas of the one group of workers with GPUs
//
// All other objects keep their width.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "kubernetes/objects/gated_kind.h"
#include "kubernetes/objects/pod_requests.h"

namespace ebb::kubernetes {

/// Annotations written by Ebb: the devices that it has given the object, and those that the object
/// asks for by itself. In a template of Pods, Ebb keeps the first one up to date if it is there.
inline constexpr std::string_view kDevicesKey = "ebb/devices", kOwnDevicesKey = "ebb/own-devices";

/// A field that follows the number of Pods, or of GPUs of the one Pod.
struct WidthField {
  enum class Form {
    kNumber,   ///< 4
    kText,     ///< "4", a quantity
    kAtMost,   ///< a number that is lowered if need be
    kAtLeast,  ///< a number that is raised if need be
  };
  std::string pointer;
  Form form = Form::kNumber;
  int is = 0;
};

struct ObjectWidth {
  int now = 0;       ///< devices that its Pods ask for together
  int own = 0;       ///< devices that it asks for by itself, without a change by Ebb
  int each = 0;      ///< devices of one of `count`; 0: they cannot be changed
  int count = 0;     ///< Pods or workers whose number can be changed, or GPUs of its one Pod
  int hosts = 0;     ///< Pods of each of `count`; 0: its one Pod is changed itself
  PodShape shape{};  ///< of those Pods
  std::vector<WidthField> fields{};
  /// Places of kDevicesKey in templates of Pods, and if the API server lets them be changed.
  std::vector<std::string> told_in{};
  bool tells_pods = true;
  bool by_template = false;   ///< `fields` are in a template of Pods of a Job
  std::string why_not{};      ///< a sentence; empty: it can be changed
  int given = 0, before = 0;  ///< kDevicesKey, kOwnDevicesKey; 0: none
  bool has_annotations = false;

  /// Devices of Pods that stay as they are.
  int fixed() const { return now - count * each; }
  /// Tells if the object can have exactly so many devices.
  bool CanBe(int devices) const;
};

/// The width of the object and the ways to change it. `now` and `own` come with SetWidth.
ObjectWidth WidthOf(const GatedKind& kind, const JsonNode& object, const PodRequests& requests);

/// Sets the number of devices that the Pods ask for. The own one is another only while the object
/// is as Ebb has changed it.
void SetWidth(int devices, ObjectWidth& width);

/// The requests of all Pods once the object has so many devices.
PodRequests RequestsAt(const PodRequests& requests, const ObjectWidth& width, int devices);

/// A JSON patch that releases the object with so many devices, and writes `annotations` on it.
/// `version`: applies to an object of that version only; empty: of any.
std::string WidthPatch(const GatedKind& kind, const ObjectWidth& width, int devices,
                       std::map<std::string, std::string> annotations, const std::string& version);

}  // namespace ebb::kubernetes
