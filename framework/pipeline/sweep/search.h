// Chooses the trials of a sweep. All functions are deterministic, so that a sweep that was killed
// continues with the same trials and decisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/pipeline/sweep/sweep.h"

namespace lvtext {

/// Values of paths, in the order of the space, as texts of overrides. Paths whose condition does
/// not hold are missing.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// "path=value" of each value.
std::vector<std::string> overrides_of(const Setting& setting);
/// The value of a path, or null.
const std::string* value_of(const Setting& setting, const std::string& path);

/// True if the conditions of a dimension hold.
bool is_active(const Dimension& dimension, const Setting& setting);

/// All combinations of the lists, the last path fastest; without repetitions, which conditions
/// cause. Throws ConfigError for more than 10,000.
std::vector<Setting> grid_settings(const std::vector<Dimension>& space);

/// The setting of trial `trial` (from 1): a function of seed, trial and path. A list is drawn
/// uniformly, a range uniformly or uniformly in the logarithm with six significant digits; integers
/// include both ends.
Setting random_setting(const std::vector<Dimension>& space, int64_t seed, int64_t trial);

/// The trials of the search; those of `lvtext sweep add` are not part of it.
std::vector<Setting> searched_settings(const Sweep& sweep);

/// The indices of the lowest validation objectives, which a rung continues: `keep` of all, at least
/// one, in ascending order. Values that are missing or not finite are worst; they are continued
/// only if there is no other value. Equal values: the smaller index.
std::vector<size_t> survivors(const std::vector<std::optional<double>>& values, double keep);

}  // namespace lvtext
