#include "sim/remembering_feed.h"

#include <utility>

namespace ebb::sim {
namespace {

// Ten days of hourly questions; an answer takes some 30 kB.
constexpr std::size_t kMostAnswers = 256;

}  // namespace

RememberingFeed::RememberingFeed(std::unique_ptr<runtime::SignalFeed> inner)
    : inner_(std::move(inner)) {}

Result<core::SignalView> RememberingFeed::Observe(Time now, Duration horizon) {
  const std::pair question{now, horizon};
  if (const auto known = answers_.find(question); known != answers_.end()) return known->second;
  EBB_ASSIGN_OR_RETURN(core::SignalView view, inner_->Observe(now, horizon));
  // The oldest moment goes: a simulation moves forward.
  if (answers_.size() >= kMostAnswers) answers_.erase(answers_.begin());
  answers_.emplace(question, view);
  return view;
}

}  // namespace ebb::sim
