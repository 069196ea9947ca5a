#pragma once
// An agent's record of its node over a short time: the energy of each device, and whose it was. For
// each device
//
//   pods + idle + unattributed = node      to the microjoule.
//
// Agents number their records from 1 on and keep them until they are fetched (docs/kubernetes.md,
// Measuring). A record is one line of text. Times are wall time.

#include <cstdint>
#include <string>
#include <vector>

#include "base/field_text.h"
#include "core/ledger/ledger.h"
#include "core/run/run_fields.h"

namespace ebb::core {

struct PodEnergy {
  std::string pod;  ///< uid, or "namespace/name" if only the name is known
  Energy energy;
  bool shared = false;  ///< true for a GPU that several pods used: its energy is divided among them
};

struct DeviceEnergy {
  std::string device;  ///< "cpu:package-0", "ram", "gpu:GPU-1234..."
  Component component = Component::kCpu;
  EnergySource source = EnergySource::kModel;
  /// Longer than the record's interval if a counter could not be read for a while.
  Interval wall;
  Energy idle, unattributed;
  std::vector<PodEnergy> pods{};

  Energy node() const;
};

struct NodeRecord {
  std::int64_t number = 0;
  Interval wall;
  std::vector<DeviceEnergy> devices{};
};

/// The head of an agent's answer; the requested records follow.
struct NodeRecordsHead {
  std::string node;   ///< name of the node
  std::string epoch;  ///< identity of the numbering; a new one if the numbers begin anew
  /// Numbers of the oldest and of the newest record that the agent keeps. There is none if `last`
  /// is below `first`.
  std::int64_t first = 1, last = 0;
};

inline Energy DeviceEnergy::node() const {
  Energy sum = idle + unattributed;
  for (const PodEnergy& pod : pods) sum += pod.energy;
  return sum;
}

template <typename Archive, Like<PodEnergy> Value>
void Visit(Archive& archive, Value& value) {
  auto& [pod, energy, shared] = value;
  archive("pod", pod);
  archive("energy_uj", energy);
  archive("shared", shared);
}

template <typename Archive, Like<DeviceEnergy> Value>
void Visit(Archive& archive, Value& value) {
  auto& [device, component, source, wall, idle, unattributed, pods] = value;
  archive("device", device);
  archive.Must("component", component);
  archive.Must("source", source);
  archive.Must("wall_ms", wall);
  archive("idle_uj", idle);
  archive("unattributed_uj", unattributed);
  archive("pods", pods);
}

template <typename Archive, Like<NodeRecord> Value>
void Visit(Archive& archive, Value& value) {
  auto& [number, wall, devices] = value;
  archive.Must("number", number);
  archive.Must("wall_ms", wall);
  archive("devices", devices);
}

template <typename Archive, Like<NodeRecordsHead> Value>
void Visit(Archive& archive, Value& value) {
  auto& [node, epoch, first, last] = value;
  archive.Must("node", node);
  archive.Must("epoch", epoch);
  archive.Must("first", first);
  archive.Must("last", last);
}

}  // namespace ebb::core
