// Compaction of arrays: the elements that satisfy a condition are moved to the front, in order.
#pragma once

#include <cstdint>

namespace lvtext {

/// Copies the scores of a row, less `maximum`, that are then above `limit`, and their positions
/// plus `first`; returns their number.
int64_t copy_above(const float* row, int64_t count, float maximum, float limit, int64_t first,
                   float* scores, int32_t* positions);
int64_t copy_above(const double* row, int64_t count, double maximum, double limit, int64_t first,
                   double* scores, int32_t* positions);

/// Keeps the values, multiplied by `factor`, and positions of those scores x for which
/// 1 + slope (x - shift) > 0, in double precision; returns their number.
int64_t keep_support(const float* scores, int64_t count, double shift, double slope, double factor,
                     float* values, int32_t* positions);
int64_t keep_support(const double* scores, int64_t count, double shift, double slope, double factor,
                     double* values, int32_t* positions);

/// Copies the elements of a row that are not 0 and their positions; returns their number.
int64_t copy_nonzero(const float* row, int64_t count, float* values, int32_t* positions);
int64_t copy_nonzero(const double* row, int64_t count, double* values, int32_t* positions);

}  // namespace lvtext
