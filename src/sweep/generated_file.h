#pragma once
// What a generator makes: a file's name and its content. Writing it is the caller's business.

#include <string>

namespace ebb::sweep {

struct GeneratedFile {
  std::string name;
  std::string content;
};

}  // namespace ebb::sweep
