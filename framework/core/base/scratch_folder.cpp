#include "framework/core/base/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "framework/core/base/error.h"

namespace lvtext {

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lvtext-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw io_error("cannot create", name, errno);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lvtext
