#pragma once
// Keys of submissions make them idempotent: a second submission with the same key of the same user
// returns the first one's job. If the two differ, the answer says so, because the second one would
// never run.
//
// Thread contract: the loop's thread.

#include "service/intake/requests.h"
#include "service/views/publisher.h"
#include "store/service_store.h"

namespace ebb::service {

/// The answer to a submission whose key is known; nothing: the submission is new.
Result<std::optional<Answer>> KnownByKey(store::ServiceStore& store, const Publisher& publisher,
                                         const core::Submission& submission);
/// The answer to an experiment whose sweep has the key of a different sweep; nothing: it has not.
Result<std::optional<Answer>> KnownBySweepKey(store::ServiceStore& store, const Submit& submit);

/// Adds the jobs of `after_keys` to the predecessors. An Error: one of the keys is not known.
Status FindKeys(store::ServiceStore& store, Submit& submit);

}  // namespace ebb::service
