#pragma once
// A job of a service with several sites, computed again from its rows and from what its settlement
// keeps of each site (store/accounts/settled_sites.h): what it emitted, each row on the values of
// its own zone, and what it would have emitted at other places and times (docs/METHOD.md, Place and
// time). Reader and arithmetic are the audit's own. Pure.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/figures/accounts.h"

namespace ebb::audit {

/// A start within this many milliseconds of the submission counts as a start at once
/// (docs/METHOD.md, Settling).
inline constexpr Ms kAtOnce = 2000;

/// The values of a signal as a settlement keeps them: "BEGIN STEP STATUS VALUE ...;...". nullopt:
/// the text is damaged.
std::optional<Steps> SettledSteps(std::string_view text);

struct PlacedJob {
  struct Move {
    std::size_t from = 0, to = 0;
    Ms begin = 0, takes = 0;
    std::int64_t network = 0, there = 0;  // microjoules
  };
  struct Site {
    std::string name;
    double pue = 1;
    std::vector<int> attempts;
    bool allowed = false;
    Move first_move;
    Steps published;
  };
  std::vector<Site> sites;  ///< first the service's own machine; at least that
  Ms latest = 0;
  std::vector<Move> moves;
  std::string figures;  ///< as they were stored with the settlement
};
/// `home`: the values of the service's own machine. nullopt: the text is damaged.
std::optional<PlacedJob> ReadPlacedJob(std::string_view text, const Steps& home);

/// The rows of a job on its settled values, as it ran and at its submission.
struct SettledRows {
  Rows actual, moved;
  Ms start = 0;  ///< of `moved`
};
SettledRows SettledOneSite(const Rows& rows, Ms submitted, const Steps& published);
SettledRows SettledAtSites(const PlacedJob& job, const Rows& rows, Ms submitted);
/// nullopt: some of the intensity is unknown.
std::optional<double> KnownGrams(const Rows& rows);

/// Calls `same` with each figure at other places and times, as it was stored and as computed.
/// Returns what is wrong with the text of the figures; empty: nothing.
using SameFigure = std::function<void(const char* name, std::optional<double> told,
                                      std::optional<double> computed)>;
std::string ComparePlaces(const PlacedJob& job, const Rows& rows, Ms submitted,
                          const SettledRows& settled, const SameFigure& same);

}  // namespace ebb::audit
