// Records as a dataset: a row for every record, a column for every field.
#pragma once

#include <cstdint>
#include <filesystem>

#include "framework/core/data/packer.h"

namespace lvtext {

/// Writes texts as tokens, labels as classes, numbers and images as they are, and of derived
/// records the indices of their parents. Of several texts each is cut to its first `max_words`
/// words (0: none is).
PackCounts pack_columns(const Records& records, const Tokenizer& tokenizer,
                        const std::filesystem::path& file, int64_t max_words = 0);

}  // namespace lvtext
