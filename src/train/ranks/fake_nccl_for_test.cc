#include "train/ranks/fake_nccl_for_test.h"

#include <cstddef>
#include <mutex>
#include <vector>

namespace {

using ebb::train::FakeNcclState;

constexpr int kSuccess = 0, kSystemError = 2, kInvalidUsage = 5, kInProgress = 7, kFloat = 7;

struct Id {
  char bytes[128];
};
struct Config {
  std::size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
};

// The group of ranks. One group exists at a time, and each rank sums one row at a time.
struct Group {
  std::vector<float*> rows;
  int sums = 0;  // sums that are done
};
struct Communicator {
  int rank;
  int polls = 0;
  int wanted_sums = 0;
  int error = kSuccess;
};

std::mutex mutex;
FakeNcclState state;
Group group;

void SumAll(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    float sum = 0;
    for (const float* row : group.rows) sum += row[i];
    for (float* row : group.rows) row[i] = sum;
  }
  group.rows.clear();
  ++group.sums;
  state.summed_floats += static_cast<int>(count);
}

}  // namespace

extern "C" {

FakeNcclState* FakeNccl() { return &state; }

int ncclGetVersion(int* version) {
  *version = state.version;
  return kSuccess;
}
const char* ncclGetErrorString(int code) {
  return code == kInvalidUsage ? "invalid usage" : "system error";
}
const char* ncclGetLastError(void*) { return "a device\nis shared"; }

int ncclGetUniqueId(Id* id) {
  group = {};
  for (int i = 0; i < 128; ++i) id->bytes[i] = static_cast<char>(3 * i - 190);
  return state.answer_to_id;
}

int ncclCommInitRankConfig(void** communicator, int, Id id, int rank, const Config* config) {
  const std::lock_guard lock(mutex);
  for (int i = 0; i < 128; ++i)
    if (id.bytes[i] != static_cast<char>(3 * i - 190)) return kSystemError;
  if (config->magic != 0xcafebeef || config->blocking != 0 || rank == state.refused_rank)
    return kInvalidUsage;
  *communicator = new Communicator{rank};
  ++state.connected;
  return kInProgress;
}

int ncclCommGetAsyncError(void* communicator, int* answer) {
  const std::lock_guard lock(mutex);
  auto& mine = *static_cast<Communicator*>(communicator);
  const bool waits = ++mine.polls < 3 || mine.wanted_sums > group.sums;
  *answer = mine.error != kSuccess ? mine.error : waits ? kInProgress : kSuccess;
  return kSuccess;
}

int ncclAllReduce(const void*, void* row, std::size_t count, int type, int, void* communicator,
                  void*) {
  const std::lock_guard lock(mutex);
  auto& mine = *static_cast<Communicator*>(communicator);
  if (type != kFloat) return kInvalidUsage;
  ++mine.wanted_sums;
  if (mine.rank == state.failing_rank) mine.error = kSystemError;
  if (mine.rank == state.silent_rank || mine.rank == state.failing_rank) return kSuccess;
  group.rows.push_back(static_cast<float*>(row));
  if (group.rows.size() == static_cast<std::size_t>(state.connected)) SumAll(count);
  return kSuccess;
}

int ncclCommAbort(void* communicator) {
  const std::lock_guard lock(mutex);
  delete static_cast<Communicator*>(communicator);
  --state.connected;
  return kSuccess;
}
}
