#pragma once
// The key publication_lag: how long after its end an interval of a trace was published.

#include "config/key_reader.h"
#include "core/publication.h"

namespace ebb::config {

/// "1h", or "none": known as it begins.
KeyRule ReadPublicationLag(Given<core::Publication>& out);

}  // namespace ebb::config
