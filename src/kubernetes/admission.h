#pragma once
// What the API server asks before it stores a new object: an AdmissionReview, answered with
// changes. Objects that wait are created suspended, and pods that wait are created gated, so that
// nothing of them runs before the controller has seen them. Pods of Compute Gardener's scheduler
// get the cluster's own.
//
// Pure: the answer is all that a request brings about, of a dry run too.

#include <string>
#include <string_view>

#include "kubernetes/gated_object.h"

namespace ebb::kubernetes {

/// The scheduling gate of pods that wait.
inline constexpr const char* kPodGate = "ebb/wait";
inline constexpr const char* kGardenerScheduler = "compute-gardener-scheduler";

struct AdmissionOptions {
  ObjectDefaults defaults{};
  bool dry_run = false;  ///< changes nothing
};

struct AdmissionAnswer {
  int status = 200;  ///< of HTTP
  std::string body;  ///< JSON
};

/// The answer to an AdmissionReview of admission.k8s.io/v1; 400 for anything else. It never refuses
/// an object: what cannot be read is allowed, with a warning. `in_chosen_namespace`: the namespace
/// lets Ebb hold back its objects, which the request does not tell.
AdmissionAnswer Review(std::string_view body, bool in_chosen_namespace,
                       const AdmissionOptions& options);

}  // namespace ebb::kubernetes
