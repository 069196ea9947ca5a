#pragma once
// How a pod names what it belongs to, and the object that this is. Values.

#include <map>
#include <string>

namespace ebb::kubernetes {

/// Key for the gang of a pod, beside the pod's labels. No label can have such a name.
inline constexpr const char* kGangLabel = "gang of pods";

/// The labels and namespace by which a pod belongs to an object.
struct PodOwner {
  std::string name_space;
  std::map<std::string, std::string> labels;
};

/// The object under way to which a pod belongs, and its attempt.
struct PodsObject {
  std::string uid;
  int attempt = 0;
  bool by_kueue = false;
};

}  // namespace ebb::kubernetes
