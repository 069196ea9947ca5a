#pragma once
// Reads the value of a key by the type and range of its field (core/options/definition.h).

#include <optional>

#include "config/yaml/key_reader.h"
#include "core/options/job_options.h"

namespace ebb::config {

/// nullopt if the value is not accepted; the problem then names the field's key. A kMoment is a
/// duration from now.
std::optional<core::OptionValue> ReadFieldValue(const core::Field& field, const YamlNode& value,
                                                Problems& problems);

}  // namespace ebb::config
