#include "local/process/grid_file.h"

#include "base/field_text.h"
#include "platform/file.h"
#include "runtime/believed_at.h"

namespace ebb::local {
namespace {

// A running service may take this long to learn of a new value.
constexpr Duration kLongestWait{std::chrono::seconds{30}};

struct GridNow {
  Time since;
  std::optional<Intensity> intensity;
  Pue pue;
};

template <typename Archive, Like<GridNow> Value>
void Visit(Archive& archive, Value& value) {
  auto& [since, intensity, pue] = value;
  archive("time_ms", since);
  archive("g_per_kwh", intensity);
  archive("pue", pue);
}

}  // namespace

bool GridFile::Look() {
  const auto intensity = runtime::BelievedAt(feed_, clock_.Now());
  const Duration now = clock_.wall().SinceBoot();
  if (intensity) known_at_ = now;
  const bool may_follow = !intensity && said_ && now - known_at_ < kLongestWait;
  if (may_follow || (written_ && intensity == said_)) return false;
  const GridNow said{clock_.wall().Now(), intensity, pue_};
  if (!platform::WriteFileAtomically(file_, ToFieldText(said, FieldStyle::kComplete) + "\n"))
    return false;
  written_ = true;
  said_ = intensity;
  return true;
}

}  // namespace ebb::local
