#pragma once
// Chains of digests (platform/digest_chain.h) over append-only data: the rows of a job's ledger
// (the head of the chain is in the job's row), the records of the journal, and the settlements of
// jobs. SQL makes the links, in the transaction of the rows: ebb_links(BEFORE, RECORDS) is the link
// behind BEFORE and all RECORDS, which have newlines between them.

#include <string>

#include "store/database/database.h"

namespace ebb::store {

/// The text of a record, on one line: integers and numbers that read back exactly, texts with their
/// length before them, "~" for NULL, separated by commas.
std::string LinkText(const Values& values);

}  // namespace ebb::store
