#pragma once
// A start that this machine keeps for the service of another one: the job's files are here, and its
// supervisor runs and waits. While the service is heard, it says when the job starts, or takes the
// start back. Once it has been silent for a while, the job starts at its planned time, and at its
// latest start in any case.
//
// The supervisor holds the attempt's lock from the beginning. A start and its withdrawal exclude
// each other by a second lock, so that a job whose start was taken back never runs here. If the
// machine is started anew meanwhile, the start is forgotten, and the service is told so.
//
// Thread contract: one thread.

#include <functional>
#include <optional>

#include "local/files/attempt_files.h"

namespace ebb::sites {

enum class KeptState { kWaits, kBegun, kTakenBack };
inline constexpr std::array<std::string_view, 3> kKeptStateNames{"waits", "begun", "taken back"};
inline std::string_view Name(KeptState state) {
  return kKeptStateNames[static_cast<std::size_t>(state)];
}
inline bool FromName(const FieldReader&, std::string_view name, KeptState& value) {
  for (std::size_t i = 0; i < kKeptStateNames.size(); ++i)
    if (kKeptStateNames[i] == name) return value = static_cast<KeptState>(i), true;
  return false;
}

struct KeptStart {
  local::StartOrder order;
  KeptState state = KeptState::kWaits;
  Time heard{};  ///< wall time at which the service was heard last
};

template <typename Archive, Like<KeptStart> Value>
void Visit(Archive& archive, Value& value) {
  auto& [order, state, heard] = value;
  archive.Must("order", order);
  archive.Must("state", state);
  archive.Must("heard_ms", heard);
}

/// Nothing: the attempt was never to start later.
std::optional<KeptStart> ReadKeptStart(const local::AttemptPaths& paths);

/// Changes what is kept while nobody else does. An Error: it cannot be written, or another process
/// changes it for a long time.
Status ChangeKeptStart(const local::AttemptPaths& paths,
                       const std::function<Status(std::optional<KeptStart>&)>& change);

/// True if the job is to start now without a word of the service.
bool IsDue(const KeptStart& kept, Time now);

struct KeeperOptions {
  Duration tick{1000};  ///< wall time between looks
  /// Tells if the devices of the plan are free; the job waits for them.
  std::function<bool(const local::AttemptPaths&, const local::AttemptPlan&)> devices_are_free;
};

/// True if attempts of the same service leave room for one more, and nobody has its GPUs.
bool DevicesAreFree(const local::AttemptPaths& paths, const local::AttemptPlan& plan);

/// Called by the supervisor of an attempt before it reads the plan. Waits until the attempt is to
/// start. False: its start was taken back. True at once for an attempt that starts without waiting.
bool WaitForStart(const local::AttemptPaths& paths, const KeeperOptions& options);

}  // namespace ebb::sites
