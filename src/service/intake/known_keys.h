#pragma once
// Keys of submissions: a second submission with a key of the same user is the first one, as long as
// it asks for the same. One that asks for something else is told so, as its job would never run.
//
// Thread contract: the loop's thread.

#include "service/intake/requests.h"
#include "service/views/publisher.h"
#include "store/service_store.h"

namespace ebb::service {

/// The answer to a submission whose key is known; nothing: it is a new one.
Result<std::optional<Answer>> KnownByKey(store::ServiceStore& store, const Publisher& publisher,
                                         const core::Submission& submission);
/// The same of its sweep, as far as that has a key.
Result<std::optional<Answer>> KnownBySweepKey(store::ServiceStore& store, const Submit& submit);

/// Keys that it comes after become numbers of jobs. An Error where one is not known.
Status FindKeys(store::ServiceStore& store, Submit& submit);

}  // namespace ebb::service
