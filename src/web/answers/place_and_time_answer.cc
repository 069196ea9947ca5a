#include "web/answers/place_and_time_answer.h"

namespace ebb::web {

using report::IfAny;

void PlaceAndTimeAnswer::Describe(report::DescribedJson& json) const {
  json.Is("PlaceAndTime",
          "What the energy of an ended job would have emitted at other places and times, in one "
          "piece, with moves between sites counted. Best starts are absent until all of them are "
          "over and their hours published.");
  json("home_at_once_g", "on the service's own machine when it was submitted, in g CO2e",
       figures.home_at_once);
  json("place_at_once_g", "begun when it was submitted, at the best site", figures.place_at_once);
  json("site_at_once", "that site", figures.site_at_once);
  json("home_best_g", "on the service's own machine at the best start", figures.home_best);
  json("home_start", "that start", figures.home_start);
  json("best_g", "the lowest of all sites and starts, and of the job as it ran with its moves",
       figures.best);
  json("best_site", "its site", IfAny(figures.best_site));
  json("best_start", "its start, before the move there", figures.best_start);
  json("best_is_as_it_ran", "no other start in one piece is lower",
       report::If(figures.best_is_as_it_ran, true));
  json("moves_g",
       "what the moves of the job took, as plans count them: not measured, and not in emissions_g",
       figures.moves);
  const auto saving = emitted && figures.moves
                          ? std::optional(Emissions{figures.home_at_once.grams - emitted->grams -
                                                    figures.moves->grams})
                          : std::nullopt;
  json("saving_g", "home_at_once_g - emissions_g - moves_g", saving);
}

std::optional<PlaceAndTimeAnswer> PlaceAndTimeAnswer::Of(
    const std::optional<service::PlaceAndTime>& figures, std::optional<Emissions> emitted) {
  return figures ? std::optional(PlaceAndTimeAnswer{*figures, emitted}) : std::nullopt;
}

}  // namespace ebb::web
