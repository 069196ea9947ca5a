#include "local/process/grid_file.h"

#include <tuple>

#include "base/field_text.h"
#include "platform/file.h"

namespace ebb::local {
namespace {

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

void GridFile::Keep(std::optional<Intensity> intensity, Time wall_now) {
  if (written_ && intensity == said_) return;
  written_ = true;
  said_ = intensity;
  std::ignore = platform::WriteFileAtomically(
      file_, ToFieldText(GridNow{wall_now, intensity, pue_}, FieldStyle::kComplete) + "\n");
}

}  // namespace ebb::local
