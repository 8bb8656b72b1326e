// Computes the scores of an evaluator with notes on its inputs.
#pragma once

#include <vector>

#include "framework/core/model/component.h"
#include "framework/core/model/inputs.h"
#include "framework/core/statistics/score.h"

namespace lvtext {

/// Evaluator::evaluate() with notes on every score: the number of empty sentences of each text
/// that is read ("12 of 1,000 `outputs` are empty (1.2 %)"), and the notes of the scores of one row
/// that it is computed from.
std::vector<Score> evaluate(const Configured& evaluator, const Inputs& inputs);

}  // namespace lvtext
