// Background thread that prepares items in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "framework/core/base/error.h"

namespace lvtext {

/// Calls `produce` on one background thread and returns its items in order; at most `ahead` items
/// are buffered. The sequence depends neither on timing nor on `ahead`. An exception of `produce`
/// is rethrown by the next() that would have returned its item, and by every later next(). The
/// destructor waits only for the current call of `produce`.
template <class T>
class Prefetcher {
 public:
  /// `produce` returns the next item, or nullopt at the end. It is called on the background thread
  /// only.
  explicit Prefetcher(std::function<std::optional<T>()> produce, size_t ahead = 2)
      : produce_(std::move(produce)), ahead_(ahead) {
    LVT_ASSERT(ahead > 0, "ahead must be at least 1");
    thread_ = std::thread([this] { work(); });
  }

  ~Prefetcher() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Prefetcher(const Prefetcher&) = delete;
  Prefetcher& operator=(const Prefetcher&) = delete;

  /// Waits for the next item and returns it; nullopt at the end.
  std::optional<T> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_.empty() || done_; });
    if (ready_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return std::nullopt;
    }
    std::optional<T> item(std::move(ready_.front()));
    ready_.pop_front();
    lock.unlock();
    changed_.notify_all();
    return item;
  }

 private:
  void work() {
    try {
      while (wait_for_room()) {
        std::optional<T> item = produce_();
        if (!item) break;
        {
          const std::lock_guard lock(mutex_);
          ready_.push_back(std::move(*item));
        }
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failure_ = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_all();
  }

  /// Waits until the buffer has room; returns false if the Prefetcher is being destroyed.
  bool wait_for_room() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stop_ || ready_.size() < ahead_; });
    return !stop_;
  }

  std::function<std::optional<T>()> produce_;
  size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> ready_;
  std::exception_ptr failure_;
  bool stop_ = false;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace lvtext
