// The file choice.json of a finished selection.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lvtext {

/// Output file of a node that chooses.
inline constexpr const char* kSelectionFile = "choice.json";

/// Result of a selection.
struct Selection {
  std::optional<std::string> key;  ///< none: no candidate was chosen
  std::optional<double> score;     ///< score of the chosen candidate, otherwise of the nearest
  std::string reason;              ///< why no candidate was chosen

  /// Returns the key as the step of a kept checkpoint.
  int64_t step() const;
};

/// Result of a finished selection node.
Selection read_selection(const std::filesystem::path& folder);

}  // namespace lvtext
