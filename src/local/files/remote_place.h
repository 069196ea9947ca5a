#pragma once
// Where an attempt runs if that is another machine (a site), and how this one reaches it. Part of
// the plan of the attempt; values only.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "local/files/start_order.h"

namespace ebb::local {

struct RemotePlace {
  std::string site;                ///< name of the site
  std::vector<std::string> reach;  ///< command that talks with it: ssh with its arguments
  std::string service;  ///< identifier of this service, under which the job is kept there
  std::string
      folder;  ///< folder here that the job gets a copy of as its working folder; empty: none
  std::vector<std::string> leave_out;  ///< names in that folder that are not copied
  std::uint64_t most_bytes = 0;        ///< limit of the copied folder
  std::optional<StartOrder> order{};   ///< nothing: the attempt is to start now
};

}  // namespace ebb::local
