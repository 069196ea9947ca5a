#pragma once
// Ledgers of several directories as one: ranks of a distributed job, attempts on several machines,
// copies of one run. A union is a set of rows, so uniting is associative, commutative and
// idempotent; what counts of it is derived from the whole set (Counted), in whole microjoules.
//
// Counted once, at every millisecond:
// - One device read as a whole by several ranks counts once: the best reading (counter before power
//   integral before model, known intensity before unknown; then by run, attempt, time). A device is
//   told by its machine and name, a GPU by its UUID alone. Processors and memory are read as a
//   whole in the scope "machine", GPUs in both scopes, unless their rows say that they are shares.
// - Where a sensor reads some device of a component as a whole, a model of that component on that
//   machine does not count.
// - Shares (of processors and memory: a process tree's; of a GPU: a program's, a slice's) are parts
//   of the whole: where the whole is read they do not count; where it is not they add up, since the
//   trees of ranks, and what holds parts of a GPU, are disjoint.
//
// Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "core/run.h"

namespace ebb::core {

/// A ledger row and whose it is.
struct UnionRow {
  std::string run_id;
  std::string machine;  ///< one text per machine: rows of one machine are compared, others are not
  MeterScope scope = MeterScope::kProcessTree;
  LedgerRow row;
};

/// The rows of both, each once, in one order whatever the order of the arguments.
std::vector<UnionRow> United(std::vector<UnionRow> a, const std::vector<UnionRow>& b);

/// What counts, ordered by begin: rows of the set, cut where only a part of them counts. Their
/// energies add up exactly to what the rule above gives millisecond by millisecond.
std::vector<UnionRow> Counted(const std::vector<UnionRow>& set);

/// The same as parts of the rows: which row of the set, and which part of its wall time counts.
/// core::Share gives the part's energy; parts of one row do not overlap.
struct CountedPart {
  std::size_t row = 0;
  Interval wall;
};
std::vector<CountedPart> CountedParts(const std::vector<UnionRow>& set);

}  // namespace ebb::core
