#include "testing/source_tree.h"

#include <cstdlib>

namespace ebb {

std::string SourceTree() { return EBB_SOURCE_DIR; }

std::string SharedData() {
  const char* elsewhere = std::getenv("EBB_SHARED_DATA");
  return elsewhere ? elsewhere : EBB_SOURCE_DIR "/../shared/data";
}

}  // namespace ebb
