#pragma once
// A stand-in for NVIDIA's collectives library with the symbols that nccl_sum.cc loads. Its ranks
// are threads of one process, its device is the CPU. It is loaded at run time, as the real library
// is.

namespace ebb::train {

struct FakeNcclState {
  int version = 22'105;
  int answer_to_id = 0;   ///< not 0: the error that asking for an id returns
  int refused_rank = -1;  ///< rank that does not connect
  int silent_rank = -1;   ///< rank that never takes part in a sum
  int failing_rank = -1;  ///< rank whose sums fail while they run
  int connected = 0;      ///< open communicators
  int summed_floats = 0;  ///< floats in all sums of a rank
};

/// Exported under this name: FakeNcclState* FakeNccl().
using FakeNcclFunction = FakeNcclState*();

}  // namespace ebb::train
