#pragma once
// The jobs that a submission depends on, looked up among those that readers see and in the store.
//
// Thread contract: the loop's thread.

#include <vector>

#include "service/views/publisher.h"
#include "store/service_store.h"

namespace ebb::service {

/// The predecessors that have not ended. An Error: one is not known, or has not succeeded, so the
/// job can never start.
Result<std::vector<core::JobId>> UnfinishedPredecessors(store::ServiceStore& store,
                                                        const Publisher& publisher,
                                                        const core::Submission& submission);

}  // namespace ebb::service
