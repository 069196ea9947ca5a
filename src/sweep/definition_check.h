#pragma once
// Checks a definition before anything is expanded: unknown names, duplicate values, templates that
// ask for a parameter that does not exist. Private to sweep/.

#include <optional>
#include <vector>

#include "sweep/sweep.h"

namespace ebb::sweep {

// The templates of a definition, all of them valid.
struct Templates {
  std::optional<TextTemplate> name;
  std::vector<TextTemplate> command;
  std::vector<TextTemplate> rationales;
};

/// Number of combinations in the grid; kMostExperiments + 1 stands for anything above the limit.
std::size_t GridSize(const Definition& definition);
/// Adds every mistake to `mistakes` and returns the valid templates.
Templates CheckDefinition(const Definition& definition, std::vector<Mistake>& mistakes);
/// Removes duplicates: a mistake in a rule is found once for each configuration.
void KeepEachOnce(std::vector<Mistake>& mistakes);

}  // namespace ebb::sweep
