// Sentences and labels of the data set that an inference component reads, and the columns that it
// passes on to its result.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "framework/pipeline/inference/inference.h"

namespace lvtext {

/// The sentences of a data set: its column "text". Throws DataError if there is no such column or
/// it has several texts per row.
Text sentences_of(const Inputs& inputs, const std::string& input);

/// The classes of a label column, [N] int64. Throws DataError if there is no such column or it is
/// not a label.
at::Tensor labels_of(const Dataset& data, const std::string& column);

/// The column "source" with the sentences of the data set of an input, and its label columns.
std::vector<InferredColumn> source_columns(const Inputs& inputs, const std::string& input);

}  // namespace lvtext
