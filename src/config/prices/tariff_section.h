#pragma once
// The keys of a time-of-use tariff: Compute Gardener's schedules and the keys that Ebb adds.
// docs/prices.md describes each; prices/tariff.h says what they mean together.

#include <string>
#include <vector>

#include "config/yaml/key_reader.h"
#include "prices/tariff.h"

namespace ebb::config {

struct TariffKeys {
  Given<std::string> name, currency;
  Given<double> flat_rate;
  Given<YamlNode> schedules, holidays;
};

/// The rules write into `keys`, which must outlive them.
std::vector<KeyRule> TariffRules(TariffKeys& keys);

/// Mistakes go to `problems`; the tariff must not be used then.
prices::Tariff ResolveTariff(const TariffKeys& keys, const std::string& stem, Problems& problems);

}  // namespace ebb::config
