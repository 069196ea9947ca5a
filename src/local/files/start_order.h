#pragma once
// A start that another site keeps: the job's files are there, and its start is still to come. The
// site carries it out by itself if nothing is heard of the service (sites/remote/kept_start.h).
// Values only; times are wall times.

#include <array>
#include <string_view>

#include "base/field_text.h"
#include "base/time.h"

namespace ebb::local {

struct StartOrder {
  std::int64_t number = 0;  ///< rises with each order; one that was taken back is not obeyed again
  Time planned{};           ///< the plan's start
  Time latest{};            ///< the job's latest start
  int slots = 0;            ///< programs that may run side by side there; 0: it has GPUs of its own
  bool is_taken_back = false;  ///< the site is not to start it any more
  friend bool operator==(const StartOrder&, const StartOrder&) = default;
};

template <typename Archive, Like<StartOrder> Value>
void Visit(Archive& archive, Value& value) {
  auto& [number, planned, latest, slots, is_taken_back] = value;
  archive.Must("number", number);
  archive.Must("planned_ms", planned);
  archive.Must("latest_ms", latest);
  archive("slots", slots);
  archive("taken_back", is_taken_back);
}

/// The state of such an attempt, as far as its follower knows.
enum class OrderStage {
  kNone,   ///< the site was not asked to keep it
  kAsked,  ///< the site may keep it; written before it is asked to
  kKept,   ///< the site keeps it, and follows what it is told
  kAlone,  ///< the site keeps it, and cannot be reached: it may start the job at any moment
  kBegun,  ///< the site has started the job
};
inline constexpr std::array<std::string_view, 5> kOrderStageNames{"none", "asked", "kept", "alone",
                                                                  "begun"};
inline std::string_view Name(OrderStage stage) {
  return kOrderStageNames[static_cast<std::size_t>(stage)];
}
inline bool FromName(const FieldReader&, std::string_view name, OrderStage& value) {
  for (std::size_t i = 0; i < kOrderStageNames.size(); ++i)
    if (kOrderStageNames[i] == name) return value = static_cast<OrderStage>(i), true;
  return false;
}

}  // namespace ebb::local
