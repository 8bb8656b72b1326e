// How batch normalization treats its running statistics.
#pragma once

namespace lvtext {

/// kUpdate: uses the statistics of the batch and updates the running ones; kBatchOnly: uses those
/// of the batch; kRunning: uses the running ones.
enum class BatchNormMode { kUpdate, kBatchOnly, kRunning };

}  // namespace lvtext
