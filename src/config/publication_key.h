#pragma once
// The key publication_lag: the time between the end of an interval of a trace and its publication.

#include <string>

#include "config/yaml/key_reader.h"
#include "core/signal/publication.h"

namespace ebb::config {

/// A duration such as "1h", or "none" if an interval is known when it begins.
KeyRule ReadPublicationLag(const std::string& name, Given<core::Publication>& out);

}  // namespace ebb::config
