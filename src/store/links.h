#pragma once
// Chains of digests over what the store only adds to (platform/digest_chain.h): the rows of a job's
// ledger, whose head stands in the job's row, the records of the journal, and what jobs were
// settled on. SQL makes the links, in the transaction of the rows: ebb_links(BEFORE, RECORDS) is
// the link behind BEFORE and all RECORDS, which have newlines between them.

#include <string>

#include "store/database.h"

namespace ebb::store {

/// One record, on one line: integers and numbers as they read back exactly, texts with their length
/// before them, "~" for NULL; commas between.
std::string LinkText(const Values& values);

}  // namespace ebb::store
