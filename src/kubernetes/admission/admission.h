#pragma once
// Answers the API server's AdmissionReview of a new object, before it is stored, with changes to
// it. Objects that wait are created suspended, and pods that wait are created gated, so that
// nothing of them runs before the controller has seen them. Pods of Compute Gardener's scheduler
// get the cluster's own.
//
// Pure: the answer is the only effect of a request, so dry runs need no special case.

#include <string>
#include <string_view>

#include "kubernetes/objects/gated_object.h"

namespace ebb::kubernetes {

/// The scheduling gate of pods that Ebb holds back.
inline constexpr const char* kPodGate = "ebb/wait";
inline constexpr const char* kGardenerScheduler = "compute-gardener-scheduler";

struct AdmissionOptions {
  ObjectDefaults defaults{};
  bool dry_run = false;  ///< changes nothing
};

struct AdmissionAnswer {
  int status = 200;  ///< HTTP status
  std::string body;  ///< JSON
};

/// The answer to an AdmissionReview of admission.k8s.io/v1; 400 for anything else. An object is
/// never refused: one that cannot be read is allowed, with a warning. `in_chosen_namespace`: the
/// namespace lets Ebb hold back its objects; the request does not contain that.
AdmissionAnswer Review(std::string_view body, bool in_chosen_namespace,
                       const AdmissionOptions& options);

}  // namespace ebb::kubernetes
