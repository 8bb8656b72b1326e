// Packing of records into a dataset: one row per record, one column per field.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "framework/core/datasets/packer.h"

namespace lvtext {

/// The columns of the dataset of these records, whose texts have this vocabulary.
std::vector<ColumnDecl> columns_of(const Records& records, const Vocabulary& vocabulary);

/// Writes texts as token ids, labels as class indices, numbers and images unchanged, and the parent
/// indices of derived records. Texts of fields with several texts are truncated to their first
/// `max_words` words (0: no truncation).
PackCounts pack_columns(const Records& records, const Tokenizer& tokenizer,
                        const std::filesystem::path& file, int64_t max_words = 0);

}  // namespace lvtext
