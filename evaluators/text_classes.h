// Scores of the texts of one class, shared by evaluators of textual transfer.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/core/datasets/dataset.h"
#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"
#include "framework/core/statistics/score.h"

namespace lvtext {

/// The optional input "records": the dataset of the texts `outputs`, with the class of each source.
InputDecl records_input(const std::string& outputs);

/// The class of each row of a dataset; empty if there is no column `label` with two classes.
std::vector<int32_t> classes_of(const Dataset& dataset, const std::string& label);

/// The same of the input "records"; empty if it is missing. Throws DataError if it does not have
/// `texts` rows.
std::vector<int32_t> classes_of_records(const Inputs& inputs, const std::string& label,
                                        size_t texts);

/// The rows of the texts of one class.
SentenceRows rows_of_class(const SentenceRows& rows, std::span<const int32_t> classes,
                           int32_t which);

}  // namespace lvtext
