#pragma once
// Whether a definition makes sense before anything is expanded: names that are not there, values
// twice, templates that ask for nothing. Private to sweep/.

#include <optional>
#include <vector>

#include "sweep/sweep.h"

namespace ebb::sweep {

// The templates of a definition, all of them good.
struct Templates {
  std::optional<TextTemplate> name;
  std::vector<TextTemplate> command;
  std::vector<TextTemplate> rationales;
};

/// Combinations of the grid; one more than kMostExperiments stands for all above.
std::size_t GridSize(const Definition& definition);
/// What is wrong, in `mistakes`; the templates that are good.
Templates CheckDefinition(const Definition& definition, std::vector<Mistake>& mistakes);
/// One mistake in a rule shows for every configuration: each is kept once.
void KeepEachOnce(std::vector<Mistake>& mistakes);

}  // namespace ebb::sweep
