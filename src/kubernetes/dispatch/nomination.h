#pragma once
// Nominates worker clusters for a Workload (status.nominatedClusterNames): the step that is due for
// one, and the request that does it.
//
// Names are set and added, never replaced. Kueue deletes the Workload's copy in a cluster whose
// name is gone, but a worker may have admitted the copy in the same moment. Kueue 0.18.4 then
// follows that worker and can never write its name down, because it is not nominated. A nomination
// is taken back by Ebb's own check instead: Kueue evicts the Workload and deletes the copies
// itself.
//
// Kueue empties that field by a server-side apply of its own when a worker has admitted the
// Workload, so its own manager must be the only owner: beside a second owner the names would stay,
// and the API server refuses names beside status.clusterName. Therefore the nomination is an apply
// in the name of Kueue's manager, with all that it owns already. It is bound to the version of the
// Workload that was read, so that nothing newer is overwritten. Pure.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json_node.h"
#include "base/result.h"
#include "base/time.h"
#include "kubernetes/dispatch/dispatcher.h"
#include "kubernetes/objects/gated_kind.h"

namespace ebb::kubernetes {

/// The field manager of Kueue that owns the admission of a Workload.
inline constexpr const char* kKueueAdmission = "kueue-admission";
/// The API server takes no more names.
inline constexpr std::size_t kMostNominated = 20;

/// The body of the apply. An Error: Kueue writes another version of its API than `kind`.
Result<std::string> NominationBody(const GatedKind& kind, const JsonNode& workload,
                                   const std::vector<std::string>& clusters);

/// A Workload that holds quota, has all other checks ready, and that no worker has admitted.
struct Nominee {
  std::string place;                   ///< the cluster that was chosen for it
  std::vector<std::string> nominated;  ///< as the Workload says
  std::optional<Duration> since{};     ///< since when these names are known to be there
  bool can_be_taken_back = false;      ///< by a check of Ebb
};

struct NominationStep {
  enum class Kind { kNothing, kNominate, kTakeBack };
  Kind kind = Kind::kNothing;
  std::vector<std::string> clusters{};  ///< kNominate: all names
  std::string late{};  ///< the cluster that has not admitted it; empty: none is late
  std::string why{};   ///< about `late`, one sentence
};

/// The step that is due for the nominee now. `another` chooses a further cluster, which is none of
/// the nominated ones.
NominationStep NextStep(const Dispatcher& dispatcher, const Nominee& nominee,
                        const std::function<std::optional<std::string>()>& another, Duration now);

}  // namespace ebb::kubernetes
