// Options of initial weights that are taken from another node.
#pragma once

#include <map>
#include <string>

namespace lvtext {

/// How given tensors become initial parameters of a model.
struct InitialMapping {
  std::map<std::string, std::string> rename;  ///< name of a given tensor: its name in the model
  /// Accept tensors with fewer rows than the parameter, whose other rows stay as initialized.
  bool extend_rows = false;
};

}  // namespace lvtext
