#pragma once
// The answer of GET /api/v1/status: what runs, what was used and saved, signals, devices, events
// (docs/api.md).

#include <string>

#include "report/described_json.h"
#include "service/views/view.h"

namespace ebb::web {

/// `view` must outlive the answer; without one, an empty view is shown.
struct StatusAnswer {
  const service::View* view = nullptr;
  std::uint64_t after_event = 0;  ///< only events whose number is above this one
  /// The grid time, which goes on while no new view is published.
  Time now = Time::min();
  void Describe(report::DescribedJson& json) const;
};

std::string ViewToJson(const service::View& view, std::uint64_t after_event = 0,
                       Time now = Time::min());

}  // namespace ebb::web
