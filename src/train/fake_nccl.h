#pragma once
// A stand-in for NVIDIA's collectives library with the symbols that nccl_sum.cc loads. Its ranks
// are threads of one process, its devices the CPU. Loaded at run time, as the real one is.

namespace ebb::train {

struct FakeNcclState {
  int version = 22'105;
  int answer_to_id = 0;   ///< not 0: no id can be had
  int refused_rank = -1;  ///< this one does not connect
  int silent_rank = -1;   ///< this one never comes to a sum
  int failing_rank = -1;  ///< its sums fail while they run
  int connected = 0;      ///< communicators that are open
  int summed_floats = 0;  ///< in all sums of a rank
};

/// Exported under this name: FakeNcclState* FakeNccl().
using FakeNcclFunction = FakeNcclState*();

}  // namespace ebb::train
