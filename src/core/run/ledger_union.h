#pragma once
// Unites ledgers of several directories: ranks of a distributed job, attempts on several machines,
// copies of one run. A union is a set of rows, so uniting is associative, commutative and
// idempotent. The parts that count are derived from the whole set (Counted), in whole microjoules.
//
// Counted once, at every millisecond:
// - One device read as a whole by several ranks counts once: the best reading (counter before power
//   integral before model, known intensity before unknown; then by run, attempt, time). A device is
//   named by its machine and name, a GPU by its UUID alone. Processors and memory are read as a
//   whole in the scope "machine", GPUs in both scopes, unless their rows say that they are shares.
// - If a sensor reads some device of a component as a whole, a model of that component on that
//   machine does not count.
// - Shares (of processors and memory: a process tree's; of a GPU: a program's, a slice's) are parts
//   of the whole. If the whole is read, they do not count; otherwise they add up, because the trees
//   of ranks, and the programs that hold parts of a GPU, are disjoint.
//
// Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "core/run/run.h"

namespace ebb::core {

/// A ledger row with its run and machine.
struct UnionRow {
  std::string run_id;
  std::string machine;  ///< same text for the same machine; rows of different machines are not
                        ///< compared
  MeterScope scope = MeterScope::kProcessTree;
  LedgerRow row;
};

/// All rows of both sets, each once, in the same order whatever the order of the arguments.
std::vector<UnionRow> United(std::vector<UnionRow> a, const std::vector<UnionRow>& b);

/// The parts of the set that count, ordered by begin: its rows, cut where only a part of a row
/// counts. Their energies add up exactly to what the rule above gives millisecond by millisecond.
std::vector<UnionRow> Counted(const std::vector<UnionRow>& set);

/// The counted part of a row: which row of the set, and which part of its wall time. core::Share
/// gives the part's energy; parts of one row do not overlap.
struct CountedPart {
  std::size_t row = 0;
  Interval wall;
};
std::vector<CountedPart> CountedParts(const std::vector<UnionRow>& set);

}  // namespace ebb::core
