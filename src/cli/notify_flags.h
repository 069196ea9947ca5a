#pragma once
// The flags that say where `ebb serve` sends notifications, and which ones (docs/notifications.md).

#include "cli/parser.h"
#include "web/notify/notifier.h"

namespace ebb::cli {

/// An environment variable for the addresses, because they may hold a secret.
inline constexpr const char* kNotifyVariable = "EBB_NOTIFY";

struct NotifyFlags {
  std::string urls, file, events, low_carbon, secret_env, secret_file;
};

void AddNotifyFlags(Command& command, NotifyFlags& flags);

/// Without webhooks there are no notifications. Addresses also come from $EBB_NOTIFY. Secrets are
/// read from the file or variable that the flags name.
Result<web::NotifierOptions> NotifierOptionsOf(const NotifyFlags& flags);

}  // namespace ebb::cli
