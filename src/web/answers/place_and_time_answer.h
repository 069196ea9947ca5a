#pragma once
// The emissions of an ended job at other places and times, in answers about it.

#include <optional>

#include "report/described_json.h"
#include "service/views/figures.h"

namespace ebb::web {

struct PlaceAndTimeAnswer {
  service::PlaceAndTime figures;
  std::optional<Emissions> emitted;  ///< what the job emitted
  void Describe(report::DescribedJson& json) const;

  /// Nothing: there are no figures.
  static std::optional<PlaceAndTimeAnswer> Of(const std::optional<service::PlaceAndTime>& figures,
                                              std::optional<Emissions> emitted);
};

}  // namespace ebb::web
